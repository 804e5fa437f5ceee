<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/**
 * Looks at pages of the site before and after a change, to see whether the change has broken it: the request that
 * changes a plugin still runs the old code and cannot know.
 *
 * A page that was broken before proves nothing later and is left out. One that could not be seen before is left out too,
 * but without the most important ones nothing is verified, nor with one that took too long twice.
 */
final class Health_Check {

	private const ATTEMPTS = 3;
	/** Long enough for a second attempt at a page that does not answer. */
	private const LONGEST_SECONDS = 25;
	private const PAUSE_MICRO     = 300000;

	/** @var array<string, Page> By name, those that can be compared. */
	private $pages = [];

	/** @var array<string, Look> By name of the page. */
	private $before = [];

	/** @var array<string, true> Pages that were looked at. */
	private $seen = [];

	/** @var string[] Names of important pages that could not be seen. */
	private $unseen = [];

	/** @var string[] Names of pages that took too long. An update may break them unseen, so it is not verified. */
	private $late = [];

	/**
	 * Before a change. How things were is asked once; sites of the network that come later are added.
	 *
	 * @param int[] $other_sites Of the network, that this change is about; one of them is looked at too.
	 */
	public function remember( array $other_sites = [] ): void {
		$pages = [];
		foreach ( Page::all( array_slice( $other_sites, 0, 1 ) ) as $page ) {
			$name = $page->user . ' ' . $page->url;
			if ( ! isset( $this->seen[ $name ] ) ) {
				$this->seen[ $name ] = true;
				$pages[ $name ]      = $page;
			}
		}
		$looks = Site_Look::at( $pages, [] );
		// The first look at a site may find it slow, with nothing in its caches.
		$late  = array_intersect_key( $pages, array_filter( $looks, [ self::class, 'is_late' ] ) );
		$looks = count( $late ) < count( $pages ) ? array_merge( $looks, Site_Look::at( $late, [] ) ) : $looks;
		foreach ( $pages as $name => $page ) {
			if ( $looks[ $name ]->is_telling() ) {
				$this->pages[ $name ]  = $page;
				$this->before[ $name ] = $looks[ $name ];
			} elseif ( $page->is_in_short_set && ! $looks[ $name ]->is_seen() ) {
				$this->unseen[] = $page->name;
			} elseif ( $looks[ $name ]->is_late() ) {
				$this->late[] = $page->name;
			}
		}
	}

	private static function is_late( Look $look ): bool {
		return $look->is_late();
	}

	/** Whether the site can see enough of itself to judge a change. */
	public function can_look(): bool {
		return [] !== $this->pages && [] === $this->unseen;
	}

	/**
	 * After an update.
	 *
	 * @param bool     $is_full Whether to look at all pages, or at those where most faults show.
	 * @param string[] $paths   Of what was replaced.
	 */
	public function verdict_on_update( bool $is_full, array $paths ): Verdict {
		$pages = array_filter(
			$this->pages,
			static function ( Page $page ) use ( $is_full ): bool {
				return $is_full || $page->is_in_short_set;
			}
		);
		return $this->compare( $pages, $paths, false );
	}

	/** After a plugin was switched on or off. It may well close the site, or lead elsewhere; it must not kill it. */
	public function verdict_on_switch(): Verdict {
		return $this->compare( $this->pages, [], true );
	}

	/**
	 * @param array<string, Page> $pages       Those to look at.
	 * @param string[]            $paths       Of what was replaced.
	 * @param bool                $is_intended Whether pages may well be others now.
	 */
	private function compare( array $pages, array $paths, bool $is_intended ): Verdict {
		if ( [] === $pages ) {
			return Verdict::unverified( __( 'the site cannot open its own pages', 'steward' ) );
		}
		Compiled_Files::wait_until_noticed();
		$looks = $this->look_until_clear( $pages, $paths, $is_intended );
		$quiet = array_merge( $this->unseen, $this->late );
		$old   = false;
		foreach ( $pages as $name => $page ) {
			$fault = $this->fault_of( $name, $page, $looks[ $name ], $is_intended );
			if ( null !== $fault ) {
				/* translators: 1: Name of a page, 2: what is wrong with it. */
				return Verdict::broken( sprintf( __( '%1$s: %2$s', 'steward' ), $page->name, $fault ) );
			}
			$old = $old || $looks[ $name ]->runs_old_code();
			if ( $looks[ $name ]->says_nothing() || $looks[ $name ]->is_cut_short_since( $this->before[ $name ] ) ) {
				$quiet[] = $page->name;
			}
		}
		if ( $old ) {
			return Verdict::unverified( __( 'PHP still runs the previous version', 'steward' ) );
		}
		/* translators: %s: Comma-separated names of pages. */
		return [] === $quiet ? Verdict::healthy() : Verdict::unverified( sprintf( __( 'the site cannot see %s', 'steward' ), implode( ', ', $quiet ) ) );
	}

	private function fault_of( string $name, Page $page, Look $look, bool $is_intended ): ?string {
		return $look->says_nothing() ? null : $look->fault_since( $this->before[ $name ], $page, $is_intended );
	}

	/**
	 * A fatal error says so at once. All else, a page that was healthy before has to show several times.
	 *
	 * @param array<string, Page> $pages       Those to look at.
	 * @param string[]            $paths       Of what was replaced.
	 * @param bool                $is_intended Whether pages may well be others now.
	 * @return array<string, Look>
	 */
	private function look_until_clear( array $pages, array $paths, bool $is_intended ): array {
		$until = microtime( true ) + self::LONGEST_SECONDS;
		$looks = [];
		$left  = $pages;
		for ( $attempt = 1; $attempt <= self::ATTEMPTS && [] !== $left; $attempt++ ) {
			if ( $attempt > 1 ) {
				usleep( self::PAUSE_MICRO );
			}
			$looks = array_merge( $looks, Site_Look::at( $left, $paths ) );
			$left  = [];
			foreach ( $looks as $name => $look ) {
				if ( isset( $look->report['fatal'] ) ) {
					return $looks + array_fill_keys( array_keys( $pages ), Look::skipped() );
				}
				if ( $look->runs_old_code() || null !== $this->fault_of( $name, $pages[ $name ], $look, $is_intended ) ) {
					$left[ $name ] = $pages[ $name ];
				}
			}
			if ( microtime( true ) > $until ) {
				break;
			}
		}
		return $looks;
	}
}
