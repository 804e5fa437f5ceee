<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** What a look at the site has shown: it works as before, it is broken, or it could not be seen. */
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

	/** Why; '' when healthy. */
	public function reason(): string {
		return $this->reason;
	}
}
