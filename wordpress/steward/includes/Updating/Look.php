<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

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

	public function runs_old_code(): bool {
		return ! empty( $this->report['runs_old_code'] );
	}

	/** It did not come through to WordPress, which may be different in a moment. */
	public function may_pass(): bool {
		return ! $this->is_skipped && null === $this->report && ( 0 === $this->status || $this->status >= 500 );
	}

	/** Something in front of WordPress answered, and that says nothing about WordPress. */
	public function says_nothing(): bool {
		return $this->is_skipped || ( null === $this->report && $this->status > 0 && ( $this->status < 500 || 503 === $this->status ) );
	}

	/**
	 * What is wrong now and was not before; null when nothing is.
	 *
	 * @param self $before The same page, before the change; it was telling.
	 * @param Page $page   Which page.
	 */
	public function fault_since( self $before, Page $page ): ?string {
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
		if ( $this->status >= 500 || ( $this->status >= 400 && $before->status < 400 && Page::HTML === $page->kind && false === strpos( $page->url, 'wp-login.php' ) ) ) {
			/* translators: %d: HTTP status code. */
			return sprintf( __( 'it answers with status %d', 'steward' ), $this->status );
		}
		if ( $page->user > 0 && (int) $before->report['user'] === $page->user && (int) $this->report['user'] !== $page->user ) {
			return __( 'a user who is signed in is not let in', 'steward' );
		}
		if ( $this->leads_to !== $before->leads_to && null !== $this->leads_to && Page::HTML === $page->kind && $this->leads_away( $page ) ) {
			/* translators: %s: Address of a page. */
			return sprintf( __( 'it leads to %s', 'steward' ), $this->leads_to );
		}
		if ( $before->is_whole && ! $this->is_whole ) {
			return __( 'it breaks off before its end', 'steward' );
		}
		if ( Page::HTML === $page->kind && $this->size < $before->size * self::LEAST_SIZE ) {
			/* translators: 1: Number of bytes, 2: number of bytes. */
			return sprintf( __( 'it is almost empty: %1$d bytes instead of %2$d', 'steward' ), $this->size, $before->size );
		}
		if ( ! empty( $before->report['is_finished'] ) && empty( $this->report['is_finished'] ) ) {
			return __( 'it does not come to its end', 'steward' );
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
		return rtrim( str_replace( ABSPATH, '', $message . $where ) );
	}
}
