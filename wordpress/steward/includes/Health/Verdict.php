<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** The result of a health check: healthy, broken or unverified. */
final class Verdict {

	/** @var string */
	private $state;

	/** @var string */
	private $reason;

	private function __construct( string $state, string $reason ) {
		$this->state  = $state;
		$this->reason = $reason;
	}

	public static function healthy(): self {
		return new self( 'healthy', '' );
	}

	public static function broken( string $reason ): self {
		return new self( 'broken', $reason );
	}

	public static function unverified( string $reason ): self {
		return new self( 'unverified', $reason );
	}

	public function is_broken(): bool {
		return 'broken' === $this->state;
	}

	public function is_verified(): bool {
		return 'unverified' !== $this->state;
	}

	/** Returns the reason, or '' if healthy. */
	public function reason(): string {
		return $this->reason;
	}
}
