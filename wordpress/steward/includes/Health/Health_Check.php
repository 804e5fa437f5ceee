<?php
/**
 * @package Steward
 */

namespace Steward\Health;

use Steward\Panel\Capabilities;
use Steward\Updating\Item;
use Steward\Updating\Network_Sites;
use Steward\Updating\Opcache;
use WP_REST_Request;

defined( 'ABSPATH' ) || exit;

/**
 * Checks pages of the site before and after a change, in separate requests: the request that makes the change still
 * runs the old code.
 *
 * The pages are chosen once, before the change: those that every site has, and those that belong to the changed items. Pages
 * that were broken before the change are left out. The result is unverified if a page could not be compared, or if
 * something differs that a person would notice.
 */
final class Health_Check {

	private const MAX_ATTEMPTS = 3;
	/** Leaves time for a second attempt after a timeout. */
	private const MAX_CHECK_SECONDS        = 25;
	private const RETRY_DELAY_MICROSECONDS = 300000;
	private const PAGES_OF_A_SWITCH        = 9;
	private const MAX_SEARCHED_ITEMS       = 20;

	/** @var bool */
	private $requires_endpoint;

	/** @var string[] */
	private $marked = [];

	/** @var bool Whether the panel checks the pages before and after this call. */
	private $is_left_to_panel = false;

	/** @var array<string, Page>|null Chosen pages by key. Null: not chosen yet. */
	private $pages = null;

	/** @var array<string, Page> Pages that are checked between items. */
	private $between = [];

	/** @var array<string, Page_Result> Results before the change, by the key of the page. Only of pages that can be compared. */
	private $baseline = [];

	/** @var array<string, string> Plugin files of all changed items: new by old. */
	private $plugin_files = [];

	/** @var bool Whether core is changed too. */
	private $includes_core = false;

	/** @var array<string, string> Why pages could not be checked before the change, by their key. */
	private $unchecked = [];

	/** @var Site_State|null */
	private $state = null;

	/** @var Check_Report */
	private $report;

	/** @var array<string, Page> Pages of which only faults count now, because they are loaded again later. */
	private $only_faults = [];

	/** @param bool $requires_endpoint Whether the site is broken if the Steward plugin no longer responds. */
	public function __construct( bool $requires_endpoint = false ) {
		$this->requires_endpoint = $requires_endpoint;
		$this->report            = new Check_Report();
	}

	/** Reads from a call who checks the pages, and which pages the owner of the site has marked. */
	public static function for_call( WP_REST_Request $request, bool $requires_endpoint = false ): self {
		$body                     = json_decode( (string) $request->get_body(), true );
		$health                   = new self( $requires_endpoint );
		$health->is_left_to_panel = is_array( $body ) && true === ( $body['outside_look'] ?? false );
		$health->marked           = Site_Pages::valid_paths( is_array( $body ) ? $body['check_pages'] ?? null : null );
		return $health;
	}

	public function is_left_to_panel(): bool {
		return $this->is_left_to_panel;
	}

	/** Call this before prepare() if the call also changes core, which works on all pages. */
	public function include_core(): void {
		$this->includes_core = true;
	}

	/**
	 * Chooses the pages and checks them before a change. A second call has no effect.
	 *
	 * @param Item[]   $items     Items to change. Empty: core, or the activation of a plugin.
	 * @param int|null $max_pages Number of pages. Null: as many as the number of items allows.
	 */
	public function prepare( array $items = [], ?int $max_pages = null ): void {
		if ( null !== $this->pages || $this->is_left_to_panel ) {
			return;
		}
		$this->state = Site_State::read();
		$site        = new Site_Pages( $this->marked );
		$paths       = [];
		$other_sites = [];
		foreach ( $items as $item ) {
			$paths[]     = $item->path();
			$other_sites = array_merge( $other_sites, $item->other_sites() );
		}
		$max_pages    = $max_pages ?? Site_Pages::max_for( count( $items ) );
		$this->pages  = self::by_key( $site->essential(), $max_pages );
		$registered   = $this->add_to_baseline( $this->pages, $paths );
		$of_items     = self::pages_of_items( $items, $registered, $site );
		$worked_on    = [] === $items || $this->includes_core ? Site_Pages::NAMES : array_merge( [], ...array_column( $registered, 'pages' ) );
		$further      = $site->further( [] === $other_sites ? Network_Sites::all() : $other_sites, $of_items, $worked_on );
		$further      = self::by_key( $further, $max_pages - count( $this->pages ), $this->pages );
		$this->pages += $further;
		if ( ! $this->can_check_pages() ) {
			$this->unchecked += array_fill_keys( array_keys( $further ), '' );
			return;
		}
		$this->between = count( $items ) > 1 ? self::by_key( [ Site_Pages::home(), Site_Pages::admin_area() ], 2 ) : [];
		$this->add_to_baseline( array_diff_key( $further + $this->between, $this->baseline ), [] );
	}

	/** Whether the site can open enough of its own pages to verify a change. */
	public function can_check_pages(): bool {
		$has_endpoint = ! $this->requires_endpoint;
		foreach ( $this->baseline as $result ) {
			$has_endpoint = $has_endpoint || $result->is_steward;
		}
		// A home page that WordPress builds with an error, such as "coming soon" with 503, says nothing about the other pages.
		return $has_endpoint && [] !== $this->baseline && ! isset( $this->unchecked[ Site_Pages::home()->key() ] );
	}

	/** Details of the refusal if the site cannot check its pages: those that the panel can check from outside. */
	public function describe_for_panel(): array {
		return ! Capabilities::panel_supports( Capabilities::PAGE_CHECKS ) ? [] : [
			'pages'         => Site_Pages::visible_from_outside(),
			'pages_planned' => count( (array) $this->pages ),
			'reason'        => (string) reset( $this->unchecked ),
		];
	}

	/** @return array{checked?: array} Field of the response: what was checked. Empty if nothing that pages load has changed. */
	public function describe(): array {
		$report = $this->report->to_array();
		return null === $report || ! Capabilities::panel_supports( Capabilities::PAGE_CHECKS ) ? [] : [ 'checked' => $report ];
	}

	/**
	 * Checks a few pages after one of several items, which shows most errors.
	 *
	 * @param string[] $paths Replaced folders and files.
	 */
	public function check_between_items( array $paths ): Verdict {
		if ( null === $this->state || Opcache::keeps_old_code() ) {
			return Verdict::healthy();
		}
		Opcache::wait_for_revalidation();
		$this->only_faults = $this->between;
		$verdict           = $this->judge( array_intersect_key( $this->between, $this->baseline ), $paths );
		return $verdict->is_broken() ? $verdict : $this->judge_addresses();
	}

	/**
	 * Checks all pages and the state of the site after the last item.
	 *
	 * @param string[]              $paths   Replaced folders and files.
	 * @param array<string, string> $plugins Plugin files of the changed items: new by old.
	 * @param callable|null         $reopen  Called when the pages of visitors work: the site must not stay closed for the others.
	 */
	public function check_after_update( array $paths, array $plugins = [], ?callable $reopen = null ): Verdict {
		$this->plugin_files = $plugins + $this->plugin_files;
		$this->start_report();
		if ( null === $this->state ) {
			return $this->report->verdict();
		}
		if ( Opcache::keeps_old_code() ) {
			$this->report->add_reason( Opcache::describe() );
			return $this->report->verdict();
		}
		Opcache::wait_for_revalidation();
		$pages = $this->existing_pages();
		// Many plugins migrate their data when an admin page opens, and visitors need the result.
		$first   = array_filter(
			$pages,
			static function ( Page $page ): bool {
				return $page->is_for_visitors() || $page->is_loaded_twice;
			}
		);
		$again   = array_filter(
			$first,
			static function ( Page $page ): bool {
				return $page->is_loaded_twice;
			}
		);
		$this->only_faults = $again;
		$verdict           = $this->judge( $first, $paths );
		$this->only_faults = [];
		if ( ! $verdict->is_broken() ) {
			null === $reopen || $reopen();
			$verdict = $this->judge( array_diff_key( $pages, $first ) + $again, $paths );
		}
		$verdict = $verdict->is_broken() ? $verdict : $this->judge_addresses();
		return $verdict->is_broken() ? $verdict : $this->judge_state() ?? $this->report->verdict();
	}

	/** Checks the pages after a plugin was activated or deactivated. The plugin may change, redirect or block pages. */
	public function check_after_switch(): Verdict {
		$this->start_report();
		Opcache::wait_for_revalidation();
		$verdict = $this->judge( $this->existing_pages(), [], true );
		return $verdict->is_broken() ? $verdict : $this->report->verdict();
	}

	/** Chooses and checks the pages before a plugin is activated or deactivated. */
	public function prepare_switch(): void {
		$this->prepare( [], self::PAGES_OF_A_SWITCH );
	}

	/** Writes back the addresses of the site that a rolled back item has changed. */
	public function restore_addresses(): void {
		null === $this->state || $this->state->restore_addresses();
	}

	private function start_report(): void {
		$this->report = new Check_Report( count( (array) $this->pages ) );
		foreach ( $this->unchecked as $reason ) {
			$this->report->add_reason( $reason );
		}
	}

	/** @return array<string, Page> Pages that can be compared, without those that an editor has unpublished meanwhile. */
	private function existing_pages(): array {
		$pages = array_intersect_key( (array) $this->pages, $this->baseline );
		foreach ( $pages as $key => $page ) {
			if ( $page->is_gone() ) {
				unset( $pages[ $key ] );
				$this->report->drop_page();
			}
		}
		return $pages;
	}

	/**
	 * Checks pages before the change. Leaves out pages that WordPress builds with an error or another status than 200.
	 *
	 * @param array<string, Page> $pages Pages by key.
	 * @param string[]            $paths Folders and files of the items whose pages are looked for.
	 * @return array[] What the items have registered, by item.
	 */
	private function add_to_baseline( array $pages, array $paths ): array {
		$registered = [];
		foreach ( Page_Checker::check( $pages, $paths, [] !== $paths ) as $key => $result ) {
			foreach ( (array) ( $result->report['registered'] ?? [] ) as $item => $names ) {
				$registered[ $item ] = array_merge_recursive( $registered[ $item ] ?? [], (array) $names );
			}
			$page = $pages[ $key ];
			if ( $page->is_comparable( $result ) ) {
				$this->baseline[ $key ] = $result;
			} elseif ( isset( $this->pages[ $key ] ) && $page->is_missed( $result ) ) {
				$this->unchecked[ $key ] = Check_Report::explain( $page, $result );
			} else {
				unset( $this->pages[ $key ] );
			}
		}
		return $registered;
	}

	/**
	 * @param Item[]  $items      Items.
	 * @param array[] $registered What the items have registered.
	 * @return Page[] The most important page of each item, then the second one of each item, and so on.
	 */
	private static function pages_of_items( array $items, array $registered, Site_Pages $site ): array {
		$by_rank = [];
		// Each item needs a search in the newest entries, and further items have no room in the plan.
		foreach ( array_slice( array_values( $items ), 0, self::MAX_SEARCHED_ITEMS ) as $index => $item ) {
			foreach ( ( new Item_Pages( $item->name(), $registered[ $index ] ?? [] ) )->all( $site ) as $rank => $page ) {
				$by_rank[ $rank ][] = $page;
			}
		}
		ksort( $by_rank );
		return array_filter( array_merge( [], ...$by_rank ) );
	}

	/**
	 * @param Page[]              $pages  Pages, the most important ones first.
	 * @param array<string, Page> $chosen Pages that are chosen already.
	 * @return array<string, Page>
	 */
	private static function by_key( array $pages, int $max, array $chosen = [] ): array {
		$by_key = [];
		foreach ( $pages as $page ) {
			$by_key += [ $page->key() => $page ];
		}
		return array_slice( array_diff_key( $by_key, $chosen ), 0, max( 0, $max ), true );
	}

	/**
	 * @param array<string, Page> $pages      Pages to check.
	 * @param string[]            $paths      Replaced folders and files.
	 * @param bool                $may_differ Whether the content of pages may change.
	 */
	private function judge( array $pages, array $paths, bool $may_differ = false ): Verdict {
		$results = $this->check_until_conclusive( $pages, $paths, $may_differ );
		foreach ( $pages as $key => $page ) {
			$error = $this->find_error( $key, $page, $results[ $key ], $may_differ );
			if ( null !== $error ) {
				/* translators: 1: Name of a page, 2: error on this page. */
				return Verdict::broken( sprintf( __( '%1$s: %2$s', 'steward' ), $page->name, $error ), (string) ( $results[ $key ]->report['fatal']['file'] ?? '' ) );
			}
		}
		foreach ( array_diff_key( $pages, $this->only_faults ) as $key => $page ) {
			$result = $results[ $key ];
			if ( $result->runs_old_code() || $result->is_inconclusive() || $result->is_cut_short_since( $this->baseline[ $key ] ) ) {
				$this->report->add_reason( Check_Report::explain( $page, $result ) );
				continue;
			}
			$this->report->add_compared( $page, $may_differ ? [] : $result->differences_since( $this->baseline[ $key ], $page ) );
		}
		return Verdict::healthy();
	}

	private function judge_addresses(): Verdict {
		$changed = $this->state->find_changed_addresses();
		/* translators: %s: Name of an option of WordPress. */
		return [] === $changed ? Verdict::healthy() : Verdict::broken( sprintf( __( 'it has changed the setting %s of the site', 'steward' ), $changed[0] ) );
	}

	private function judge_state(): ?Verdict {
		$after = $this->state->read_again();
		if ( $after->has_other_theme( $this->state ) ) {
			$this->report->add_difference( '', [ 'kind' => 'theme' ] );
		}
		foreach ( $after->find_deactivated( $this->state ) as $plugin ) {
			$file = $this->plugin_files[ $plugin ] ?? '';
			if ( '' === $file ) {
				$this->report->add_difference( '', [ 'kind' => 'plugin_inactive', 'detail' => $plugin ] );
			} elseif ( ! $after->is_active( $file ) ) {
				/* translators: %s: Plugin file. */
				return Verdict::broken( sprintf( __( '%s is no longer active', 'steward' ), $file ), $file );
			}
		}
		$lost = $after->count_lost_entries( $this->state );
		if ( $lost > 0 ) {
			$this->report->add_difference( '', [ 'kind' => 'entries', 'detail' => (string) $lost ] );
		}
		return null;
	}

	private function find_error( string $key, Page $page, Page_Result $result, bool $may_differ ): ?string {
		if ( $this->requires_endpoint && $this->baseline[ $key ]->is_steward && ! $result->is_steward && ! $result->is_inconclusive() && ! isset( $result->report['fatal'] ) ) {
			return __( 'the Steward plugin does not respond', 'steward' );
		}
		return $result->is_inconclusive() ? null : $result->error_since( $this->baseline[ $key ], $page, $may_differ );
	}

	/**
	 * Requests pages again that show an error or a difference, or run old code: all may be transient. A fatal error is
	 * conclusive at once.
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
			$latest = Page_Checker::check( $remaining, $paths );
			foreach ( $latest as $key => $result ) {
				$result->varies = isset( $results[ $key ] ) && $result->varies_since( $results[ $key ], $this->baseline[ $key ] );
			}
			$results   = array_merge( $results, $latest );
			$remaining = [];
			foreach ( $latest as $key => $result ) {
				if ( isset( $result->report['fatal'] ) ) {
					return $results + array_fill_keys( array_keys( $pages ), Page_Result::skipped() );
				}
				if ( $this->needs_another_look( $key, $pages[ $key ], $result, $may_differ ) ) {
					$remaining[ $key ] = $pages[ $key ];
				}
			}
			if ( microtime( true ) > $deadline ) {
				// One request shows too little.
				return array_fill_keys( array_keys( $remaining ), Page_Result::skipped() ) + $results;
			}
		}
		return $results;
	}

	private function needs_another_look( string $key, Page $page, Page_Result $result, bool $may_differ ): bool {
		if ( $result->runs_old_code() || null !== $this->find_error( $key, $page, $result, $may_differ ) ) {
			return true;
		}
		$differences = $may_differ || isset( $this->only_faults[ $key ] ) || $result->is_inconclusive() ? [] : $result->differences_since( $this->baseline[ $key ], $page );
		foreach ( $differences as $difference ) {
			if ( empty( $difference['is_note'] ) ) {
				return true;
			}
		}
		return false;
	}
}
