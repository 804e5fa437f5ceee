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
 * A page that was broken before, or could not be seen, proves nothing later and is left out.
 */
final class Health_Check {

	private const ATTEMPTS        = 3;
	private const LONGEST_SECONDS = 10;
	private const PAUSE_MICRO     = 300000;

	/** @var array<string, Page> By name, those that can be compared. */
	private $pages = [];

	/** @var array<string, Look> By name of the page. */
	private $before = [];

	/** @var array<string, true> Addresses that were looked at. */
	private $seen = [];

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
		foreach ( $pages as $name => $page ) {
			if ( $looks[ $name ]->is_telling() ) {
				$this->pages[ $name ]  = $page;
				$this->before[ $name ] = $looks[ $name ];
			}
		}
	}

	/** Whether any page can be compared. */
	public function can_look(): bool {
		return [] !== $this->pages;
	}

	/**
	 * After a change.
	 *
	 * @param bool     $is_full Whether to look at all pages, or at those where most faults show.
	 * @param string[] $paths   Of what was replaced.
	 */
	public function verdict( bool $is_full, array $paths = [] ): Verdict {
		$pages = array_filter(
			$this->pages,
			static function ( Page $page ) use ( $is_full ): bool {
				return $is_full || $page->is_in_short_set;
			}
		);
		if ( [] === $pages ) {
			return Verdict::unverified( __( 'the site cannot open its own pages', 'steward' ) );
		}
		Compiled_Files::wait_until_noticed();
		$looks = $this->look_until_clear( $pages, $paths );
		$quiet = [];
		foreach ( array_keys( $pages ) as $name ) {
			$look = $looks[ $name ];
			if ( $look->says_nothing() ) {
				$quiet[] = $pages[ $name ]->name;
				continue;
			}
			if ( $look->runs_old_code() && ! isset( $look->report['fatal'] ) ) {
				return Verdict::unverified( __( 'PHP still runs the previous version', 'steward' ) );
			}
			$fault = $look->fault_since( $this->before[ $name ], $pages[ $name ] );
			if ( null !== $fault ) {
				/* translators: 1: Name of a page, 2: what is wrong with it. */
				return Verdict::broken( sprintf( __( '%1$s: %2$s', 'steward' ), $pages[ $name ]->name, $fault ) );
			}
		}
		/* translators: %s: Comma-separated names of pages. */
		return [] === $quiet ? Verdict::healthy() : Verdict::unverified( sprintf( __( 'the site can no longer open %s', 'steward' ), implode( ', ', $quiet ) ) );
	}

	/**
	 * A fatal error says so. All else, a page that was healthy before has to show several times.
	 *
	 * @param array<string, Page> $pages Those to look at.
	 * @param string[]            $paths Of what was replaced.
	 * @return array<string, Look>
	 */
	private function look_until_clear( array $pages, array $paths ): array {
		$until = microtime( true ) + self::LONGEST_SECONDS;
		$looks = [];
		$left  = $pages;
		for ( $attempt = 1; $attempt <= self::ATTEMPTS && [] !== $left; $attempt++ ) {
			if ( $attempt > 1 ) {
				usleep( self::PAUSE_MICRO );
			}
			$looks = array_merge( $looks, Site_Look::at( $left, $paths ) );
			if ( microtime( true ) > $until ) {
				break;
			}
			$left = array_filter(
				array_intersect_key( $pages, $looks ),
				static function ( string $name ) use ( $looks ): bool {
					return $looks[ $name ]->may_pass() || $looks[ $name ]->runs_old_code();
				},
				ARRAY_FILTER_USE_KEY
			);
		}
		return $looks;
	}
}
