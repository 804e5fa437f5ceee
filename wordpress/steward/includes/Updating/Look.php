<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Watchdog\Files;

defined( 'ABSPATH' ) || exit;

/** What was seen of one page at one moment. */
final class Look {

	/** A page that has lost more than this part of its size is not the page that it was. */
	private const LEAST_SIZE = 0.2;

	/** @var bool There was no time left for it. */
	public $is_skipped = false;

	/** @var int 0: there was no answer. */
	public $status = 0;

	/** @var string Why there was no answer. */
	public $failure = '';

	/** @var string|null Where it leads in the end, if it leads elsewhere. */
	public $leads_to = null;

	/** @var bool It leads from one page to the next without end. */
	public $is_loop = false;

	/** @var bool The page ends as pages of its kind do. */
	public $is_whole = false;

	/** @var int */
	public $size = 0;

	/** @var array|null What the page itself has reported; null: it was not built by this WordPress, but came from a cache, say. */
	public $report = null;

	public static function skipped(): self {
		$look             = new self();
		$look->is_skipped = true;
		return $look;
	}

	/** Whether the page can be compared at all: WordPress built it, and did not fail. */
	public function is_telling(): bool {
		return null !== $this->report && null === $this->report['fatal'] && $this->status < 500 && ! $this->is_loop;
	}

	/** Whether it might have been seen, had there been more time. */
	public function is_late(): bool {
		return $this->is_skipped || ( 0 === $this->status && false !== stripos( $this->failure, 'timed out' ) );
	}

	public function runs_old_code(): bool {
		return ! empty( $this->report['runs_old_code'] );
	}

	/** Whether the page is there, but PHP did not say that it came to its end, as it did before. */
	public function is_cut_short_since( self $before ): bool {
		return ! empty( $before->report['is_finished'] ) && empty( $this->report['is_finished'] );
	}

	/** Whether WordPress built the page, however that ended. */
	public function is_seen(): bool {
		return null !== $this->report;
	}

	/** Something in front of WordPress answered, and that says nothing about WordPress. */
	public function says_nothing(): bool {
		return $this->is_skipped || ( null === $this->report && $this->status > 0 && ( $this->status < 500 || 503 === $this->status ) )
			// Too many requests, or closed for a while: neither says that the code is broken.
			|| ( in_array( $this->status, [ 429, 503 ], true ) && ! isset( $this->report['fatal'] ) );
	}

	/**
	 * What is wrong now and was not before; null when nothing is.
	 *
	 * @param self $before      The same page, before the change; it was telling.
	 * @param Page $page        Which page.
	 * @param bool $is_intended Whether pages may well be others now: a plugin was switched on or off.
	 */
	public function fault_since( self $before, Page $page, bool $is_intended ): ?string {
		if ( isset( $this->report['fatal'] ) ) {
			return self::sentence( $this->report['fatal'] );
		}
		if ( 0 === $this->status ) {
			/* translators: %s: Error message. */
			return sprintf( __( 'it no longer answers (%s)', 'steward' ), $this->failure );
		}
		if ( $this->is_loop ) {
			return __( 'it leads from one address to the next without end', 'steward' );
		}
		if ( $this->status >= 500 || ( ! $is_intended && $this->status >= 400 && $before->status < 400 && Page::HTML === $page->kind && false === strpos( $page->url, 'wp-login.php' ) ) ) {
			/* translators: %d: HTTP status code. */
			return sprintf( __( 'it answers with status %d', 'steward' ), $this->status );
		}
		if ( ! $is_intended && $page->user > 0 && (int) $before->report['user'] === $page->user && (int) $this->report['user'] !== $page->user ) {
			return __( 'a user who is signed in is not let in', 'steward' );
		}
		if ( ! $is_intended && $this->leads_to !== $before->leads_to && null !== $this->leads_to && Page::HTML === $page->kind && $this->leads_away( $page ) ) {
			/* translators: %s: Address of a page. */
			return sprintf( __( 'it leads to %s', 'steward' ), $this->leads_to );
		}
		if ( $before->is_whole && ! $this->is_whole ) {
			return __( 'it breaks off before its end', 'steward' );
		}
		if ( ! $is_intended && Page::HTML === $page->kind && $this->leads_to === $before->leads_to && $this->size < $before->size * self::LEAST_SIZE ) {
			/* translators: 1: Number of bytes, 2: number of bytes. */
			return sprintf( __( 'it is almost empty: %1$d bytes instead of %2$d', 'steward' ), $this->size, $before->size );
		}
		return null;
	}

	/** Within the site a page may lead to another: a plugin that greets after its update, a home page in two languages. */
	private function leads_away( Page $page ): bool {
		$is_elsewhere = wp_parse_url( (string) $this->leads_to, PHP_URL_HOST ) !== wp_parse_url( $page->url, PHP_URL_HOST );
		$is_login     = false !== strpos( (string) $this->leads_to, 'wp-login.php' ) && false === strpos( $page->url, 'wp-login.php' );
		return $is_elsewhere || $is_login;
	}

	private static function sentence( array $error ): string {
		$message = (string) strtok( (string) ( $error['message'] ?? '' ), "\n" );
		$file    = (string) ( $error['file'] ?? '' );
		$where   = '' === $file || false !== strpos( $message, $file ) ? '' : sprintf( ' (%s:%d)', $file, (int) ( $error['line'] ?? 0 ) );
		return rtrim( Files::short( $message . $where ) );
	}
}
