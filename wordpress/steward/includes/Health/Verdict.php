<?php
/**
 * @package Steward
 */

namespace Steward\Health;

defined( 'ABSPATH' ) || exit;

/** The result of a health check: healthy, broken or unverified. */
final class Verdict {

	/** @var string */
	private $state;

	/** @var string */
	private $reason;

	/** @var string File or plugin that breaks the site, or ''. */
	private $culprit;

	private function __construct( string $state, string $reason, string $culprit = '' ) {
		$this->state   = $state;
		$this->reason  = $reason;
		$this->culprit = $culprit;
	}

	public static function healthy(): self {
		return new self( 'healthy', '' );
	}

	/**
	 * @param string $reason  Part of a sentence.
	 * @param string $culprit File or plugin that breaks the site, or '' if it is not known.
	 */
	public static function broken( string $reason, string $culprit = '' ): self {
		return new self( 'broken', $reason, $culprit );
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

	public function culprit(): string {
		return $this->culprit;
	}

	/** Returns the reason, or '' if healthy. */
	public function reason(): string {
		return $this->reason;
	}
}
