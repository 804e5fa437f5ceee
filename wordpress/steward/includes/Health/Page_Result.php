<?php
/**
 * @package Steward
 */

namespace Steward\Health;

use Steward\Watchdog\Files;

defined( 'ABSPATH' ) || exit;

/** The result of one request to one page. */
final class Page_Result {

	/** A page that shrinks below this fraction of its previous size counts as broken. */
	private const MIN_SIZE_RATIO = 0.2;

	/** Below this similarity, a person would say that it is another text. */
	private const MIN_SIMILARITY = 0.5;

	/** @var bool Whether the page was not requested. */
	public $is_skipped = false;

	/** @var bool Whether no other page was requested at the same time. */
	public $is_requested_alone = false;

	/** @var bool Whether PHP has started to build the page at once. Otherwise the request has waited for a free PHP process. */
	public $is_started_at_once = false;

	/** @var int HTTP status. 0: no response. */
	public $status = 0;

	/** @var string Why there was no response. */
	public $failure = '';

	/** @var string|null Final target if the page redirects. */
	public $redirect_url = null;

	/** @var bool */
	public $is_redirect_loop = false;

	/** @var bool Whether the body ends as expected for this kind of page. */
	public $is_complete = false;

	/** @var bool Whether the Steward plugin has responded. Its response is a refusal, because the request has no key. */
	public $is_steward = false;

	/** @var int */
	public $size = 0;

	/** @var string What a JSON response or a feed prints before its content, such as a PHP warning. */
	public $printed_before = '';

	/** @var Page_Text|null Null: the text is not compared. */
	public $text = null;

	/** @var bool Whether two requests after the change differ as much, so that a difference says nothing. */
	public $varies = false;

	/** @var array|null Report of the watchdog. Null: WordPress did not build the page, for example a cache sent it. */
	public $report = null;

	public static function skipped(): self {
		$result             = new self();
		$result->is_skipped = true;
		return $result;
	}

	/** Whether a later result can be compared with this one: WordPress built the page without an error. */
	public function is_comparable(): bool {
		return null !== $this->report && null === $this->report['fatal'] && $this->status < 500 && ! $this->is_redirect_loop;
	}

	public function is_timed_out(): bool {
		return 0 === $this->status && false !== stripos( $this->failure, 'timed out' );
	}

	public function runs_old_code(): bool {
		return ! empty( $this->report['runs_old_code'] );
	}

	/** Whether this request did not report its end, although the request before the change did. */
	public function is_cut_short_since( self $before ): bool {
		return ! empty( $before->report['is_finished'] ) && empty( $this->report['is_finished'] );
	}

	/** Whether WordPress built the page, even with an error. */
	public function is_built(): bool {
		return null !== $this->report;
	}

	/**
	 * Whether the result does not show if the code works: not requested, not built by WordPress, or temporarily refused. A timeout
	 * shows that the code hangs only if PHP had nothing else to do.
	 */
	public function is_inconclusive(): bool {
		return $this->is_skipped || ( $this->is_timed_out() && ! ( $this->is_started_at_once && $this->is_requested_alone ) ) || ( null === $this->report && $this->status > 0 && ( $this->status < 500 || 503 === $this->status ) )
			// A rate limit (429) or maintenance mode (503) does not prove that the code is broken.
			|| ( in_array( $this->status, [ 429, 503 ], true ) && ! isset( $this->report['fatal'] ) );
	}

	/**
	 * Returns the error that this page did not have before the change, or null.
	 *
	 * @param self $before     Comparable result of the same page before the change.
	 * @param Page $page       Page.
	 * @param bool $may_differ Whether the content of pages may change: a plugin was activated or deactivated.
	 */
	public function error_since( self $before, Page $page, bool $may_differ ): ?string {
		if ( isset( $this->report['fatal'] ) ) {
			return self::describe_error( $this->report['fatal'] );
		}
		if ( 0 === $this->status ) {
			/* translators: %s: Error message. */
			return sprintf( __( 'no response (%s)', 'steward' ), $this->failure );
		}
		if ( $this->is_redirect_loop ) {
			return __( 'redirect loop', 'steward' );
		}
		if ( $this->status >= 500 || ( ! $may_differ && $this->status >= 400 && $before->status < 400 && Page::HTML === $page->kind && in_array( $page->importance, [ Page::REQUIRED, Page::MARKED ], true ) ) ) {
			/* translators: %d: HTTP status code. */
			return sprintf( __( 'HTTP status %d', 'steward' ), $this->status );
		}
		if ( $this->status >= 400 && $this->status !== $before->status ) {
			// The page of an item may have another address now.
			return null;
		}
		if ( ! $may_differ && $page->user > 0 && (int) $before->report['user'] === $page->user && (int) $this->report['user'] !== $page->user ) {
			return __( 'a signed-in user is no longer recognized', 'steward' );
		}
		if ( ! $may_differ && $this->redirect_url !== $before->redirect_url && null !== $this->redirect_url && Page::HTML === $page->kind && $this->redirects_away( $page ) ) {
			/* translators: %s: Address of a page. */
			return sprintf( __( 'redirects to %s', 'steward' ), self::address( $this->redirect_url ) );
		}
		if ( $this->is_incomplete_since( $before ) && Page::FEED !== $page->kind && ( Page::EXTRA !== $page->importance || Page::HTML === $page->kind ) ) {
			/* translators: %s: Text, such as a warning of PHP. */
			return '' === $this->printed_before ? __( 'incomplete page', 'steward' ) : sprintf( __( 'the response begins with “%s”', 'steward' ), $this->printed_before );
		}
		if ( ! $may_differ && Page::HTML === $page->kind && $this->redirect_url === $before->redirect_url && $this->size < $before->size * self::MIN_SIZE_RATIO ) {
			/* translators: 1: Number of bytes, 2: number of bytes. */
			return sprintf( __( 'almost empty: %1$d bytes instead of %2$d', 'steward' ), $this->size, $before->size );
		}
		return null;
	}

	/**
	 * Returns what a person would notice, as kind and details. None of it proves that the page is broken.
	 *
	 * @return array{kind: string, is_note?: true, percent?: int, detail?: string}[]
	 */
	public function differences_since( self $before, Page $page ): array {
		// A page that led elsewhere before, such as to an upgrade of the database, could not be compared.
		if ( ! $page->has_text() || ( null !== $before->redirect_url && null === $this->redirect_url ) ) {
			return [];
		}
		if ( 200 !== $this->status && $this->status !== $before->status ) {
			$difference = [ 'kind' => 'status', 'detail' => (string) $this->status ];
			// Security plugins close REST routes, which is what their users want.
			return [ Page::JSON === $page->kind ? $difference + [ 'is_note' => true ] : $difference ];
		}
		$differences = $this->find_emptied_outputs( $before );
		if ( $this->is_incomplete_since( $before ) ) {
			$differences[] = [ 'kind' => 'incomplete', 'detail' => $this->printed_before ];
		}
		if ( Page::HTML === $page->kind && self::address( $this->redirect_url ) !== self::address( $before->redirect_url ) ) {
			$differences[] = [ 'kind' => 'address', 'detail' => self::address( $this->redirect_url ?? $page->url ) ];
		}
		if ( null === $this->text || null === $before->text || $this->varies ) {
			return $differences;
		}
		$similarity = $this->text->similarity( $before->text );
		$emptied    = $this->text->find_emptied_part( $before->text );
		if ( $similarity < self::MIN_SIMILARITY ) {
			$differences[] = [ 'kind' => 'text', 'percent' => (int) round( 100 * $similarity ) ];
		} elseif ( '' !== $emptied ) {
			$differences[] = [ 'kind' => 'part_empty', 'detail' => $emptied ];
		}
		foreach ( Page::HTML === $page->kind && 0 === $page->user ? [ 'title', 'heading' ] : [] as $kind ) {
			if ( $this->text->$kind !== $before->text->$kind ) {
				$differences[] = [ 'kind' => $kind, 'is_note' => true ];
			}
		}
		return $differences;
	}

	/**
	 * Whether the page differs in every request: this one differs from an earlier request as much as that one does from the page
	 * before the change.
	 */
	public function varies_since( self $earlier, self $before ): bool {
		return ! $earlier->runs_old_code() && self::address( $this->redirect_url ) === self::address( $earlier->redirect_url )
			&& self::have_other_texts( $earlier, $before ) && self::have_other_texts( $this, $earlier );
	}

	private static function have_other_texts( self $one, self $other ): bool {
		return null !== $one->text && null !== $other->text && $one->text->similarity( $other->text ) < self::MIN_SIMILARITY;
	}

	private function is_incomplete_since( self $before ): bool {
		return $before->is_complete && ! $this->is_complete;
	}

	/** Blocks and shortcodes that had output before, and none in this request. */
	private function find_emptied_outputs( self $before ): array {
		$emptied = [];
		foreach ( (array) ( $before->report['outputs'] ?? [] ) as $name => $count ) {
			if ( $count > 0 && 0 === ( $this->report['outputs'][ $name ] ?? null ) ) {
				$emptied[] = [ 'kind' => 'output_empty', 'detail' => (string) $name ];
			}
		}
		return $emptied;
	}

	/** The address of a page without its query, which may contain a password or a time. */
	private static function address( ?string $url ): string {
		return null === $url ? '' : untrailingslashit( (string) strtok( $url, '?#' ) );
	}

	/** Whether the page redirects to another host or to the login page. Other redirects are allowed. */
	private function redirects_away( Page $page ): bool {
		$is_elsewhere = wp_parse_url( (string) $this->redirect_url, PHP_URL_HOST ) !== wp_parse_url( $page->url, PHP_URL_HOST );
		$is_login     = false !== strpos( (string) $this->redirect_url, 'wp-login.php' ) && false === strpos( $page->url, 'wp-login.php' );
		return $is_elsewhere || $is_login;
	}

	private static function describe_error( array $error ): string {
		$message = (string) strtok( (string) ( $error['message'] ?? '' ), "\n" );
		$file    = (string) ( $error['file'] ?? '' );
		$where   = '' === $file || false !== strpos( $message, $file ) ? '' : sprintf( ' (%s:%d)', $file, (int) ( $error['line'] ?? 0 ) );
		return rtrim( Files::shorten_paths( $message . $where ) );
	}
}
