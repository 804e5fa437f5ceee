<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/**
 * Checks pages of the site before and after a change, in separate requests: the request that makes the change still
 * runs the old code.
 *
 * The check after a change skips pages that were broken before it. The result is unverified if a page cannot be checked
 * after the change, if a page of the short set could not be checked before it, or if another page timed out twice before
 * it.
 */
final class Health_Check {

	private const MAX_ATTEMPTS = 3;
	/** Leaves time for a second attempt after a timeout. */
	private const MAX_CHECK_SECONDS        = 25;
	private const RETRY_DELAY_MICROSECONDS = 300000;

	/** @var array<string, Page> Pages that can be compared after the change, by key: user and URL. */
	private $pages = [];

	/** @var array<string, Page_Result> Results before the change, by the key of the page. */
	private $baseline = [];

	/** @var array<string, true> Keys of the checked pages. */
	private $checked = [];

	/** @var string[] Names of pages of the short set that could not be checked. */
	private $unchecked = [];

	/** @var string[] Names of pages that timed out before the change. A change could break them unnoticed. */
	private $timed_out = [];

	/** @var bool */
	private $requires_endpoint;

	/** @param bool $requires_endpoint Whether the site is broken if the Steward plugin no longer responds. */
	public function __construct( bool $requires_endpoint = false ) {
		$this->requires_endpoint = $requires_endpoint;
	}

	/**
	 * Checks the pages before a change. A second call checks only additional pages.
	 *
	 * @param int[] $other_sites Other sites of the network that the change affects. Only the first one is checked.
	 */
	public function record_baseline( array $other_sites = [] ): void {
		$pages = [];
		foreach ( Page::all( array_slice( $other_sites, 0, 1 ) ) as $page ) {
			$key = $page->user . ' ' . $page->url;
			if ( ! isset( $this->checked[ $key ] ) ) {
				$this->checked[ $key ] = true;
				$pages[ $key ]         = $page;
			}
		}
		$results = Page_Checker::check( $pages, [] );
		// Try timed out pages again, unless all timed out: the first requests may be slow because caches are cold.
		$timed_out = array_intersect_key( $pages, array_filter( $results, [ self::class, 'is_skipped_or_timed_out' ] ) );
		$results   = count( $timed_out ) < count( $pages ) ? array_merge( $results, Page_Checker::check( $timed_out, [] ) ) : $results;
		foreach ( $pages as $key => $page ) {
			if ( $results[ $key ]->is_comparable() ) {
				$this->pages[ $key ]    = $page;
				$this->baseline[ $key ] = $results[ $key ];
			} elseif ( $page->is_in_short_set && ! $results[ $key ]->is_built() ) {
				$this->unchecked[] = $page->name;
			} elseif ( $results[ $key ]->is_skipped_or_timed_out() ) {
				$this->timed_out[] = $page->name;
			}
		}
	}

	private static function is_skipped_or_timed_out( Page_Result $result ): bool {
		return $result->is_skipped_or_timed_out();
	}

	/** Whether the site can open enough of its own pages to verify a change. */
	public function can_check_pages(): bool {
		return [] !== $this->pages && [] === $this->unchecked;
	}

	/**
	 * Checks the pages after an update.
	 *
	 * @param bool     $is_full Whether to check all pages. False: only the short set, which shows most errors.
	 * @param string[] $paths   Replaced folders and files.
	 */
	public function check_after_update( bool $is_full, array $paths ): Verdict {
		$pages = array_filter(
			$this->pages,
			static function ( Page $page ) use ( $is_full ): bool {
				return $is_full || $page->is_in_short_set;
			}
		);
		return $this->check_pages( $pages, $paths, false );
	}

	/** Checks the pages after a plugin was activated or deactivated. The plugin may redirect or block pages. */
	public function check_after_switch(): Verdict {
		return $this->check_pages( $this->pages, [], true );
	}

	/**
	 * @param array<string, Page> $pages      Pages to check.
	 * @param string[]            $paths      Replaced folders and files.
	 * @param bool                $may_differ Whether the content of pages may change.
	 */
	private function check_pages( array $pages, array $paths, bool $may_differ ): Verdict {
		if ( [] === $pages ) {
			return Verdict::unverified( __( 'the site cannot open its own pages', 'steward' ) );
		}
		Opcache::wait_for_revalidation();
		$results       = $this->check_until_conclusive( $pages, $paths, $may_differ );
		$inconclusive  = array_merge( $this->unchecked, $this->timed_out );
		$runs_old_code = false;
		foreach ( $pages as $key => $page ) {
			$error = $this->find_error( $key, $page, $results[ $key ], $may_differ );
			if ( null !== $error ) {
				/* translators: 1: Name of a page, 2: error on this page. */
				return Verdict::broken( sprintf( __( '%1$s: %2$s', 'steward' ), $page->name, $error ) );
			}
			$runs_old_code = $runs_old_code || $results[ $key ]->runs_old_code();
			if ( $results[ $key ]->is_inconclusive() || $results[ $key ]->is_cut_short_since( $this->baseline[ $key ] ) ) {
				$inconclusive[] = $page->name;
			}
		}
		if ( $runs_old_code ) {
			return Verdict::unverified( __( 'PHP still runs the previous version', 'steward' ) );
		}
		/* translators: %s: Comma-separated names of pages. */
		return [] === $inconclusive ? Verdict::healthy() : Verdict::unverified( sprintf( __( 'the site cannot open %s', 'steward' ), implode( ', ', $inconclusive ) ) );
	}

	private function find_error( string $key, Page $page, Page_Result $result, bool $may_differ ): ?string {
		if ( $this->requires_endpoint && $this->baseline[ $key ]->is_steward && ! $result->is_steward && ! $result->is_inconclusive() && ! isset( $result->report['fatal'] ) ) {
			return __( 'the Steward plugin does not respond', 'steward' );
		}
		return $result->is_inconclusive() ? null : $result->error_since( $this->baseline[ $key ], $page, $may_differ );
	}

	/**
	 * Requests pages again that show an error or run old code: both may be transient. A fatal error is conclusive at once.
	 *
	 * @param array<string, Page> $pages      Pages to check.
	 * @param string[]            $paths      Replaced folders and files.
	 * @param bool                $may_differ Whether the content of pages may change.
	 * @return array<string, Page_Result>
	 */
	private function check_until_conclusive( array $pages, array $paths, bool $may_differ ): array {
		$deadline  = microtime( true ) + self::MAX_CHECK_SECONDS;
		$results   = [];
		$remaining = $pages;
		for ( $attempt = 1; $attempt <= self::MAX_ATTEMPTS && [] !== $remaining; $attempt++ ) {
			if ( $attempt > 1 ) {
				usleep( self::RETRY_DELAY_MICROSECONDS );
			}
			$results   = array_merge( $results, Page_Checker::check( $remaining, $paths ) );
			$remaining = [];
			foreach ( $results as $key => $result ) {
				if ( isset( $result->report['fatal'] ) ) {
					return $results + array_fill_keys( array_keys( $pages ), Page_Result::skipped() );
				}
				if ( $result->runs_old_code() || null !== $this->find_error( $key, $pages[ $key ], $result, $may_differ ) ) {
					$remaining[ $key ] = $pages[ $key ];
				}
			}
			if ( microtime( true ) > $deadline ) {
				break;
			}
		}
		return $results;
	}
}
