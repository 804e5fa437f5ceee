<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

use Steward\Panel\Error_Report;
use Steward\Updating\Loopback;

defined( 'ABSPATH' ) || exit;

/**
 * Reproduces errors that strangers may have caused, and starts immediate reports.
 *
 * Each step is one request of the site to itself that no other request waits for: a host may have a single PHP process. The
 * requested page itself finds out whether it has failed, and starts the next step when it ends.
 */
final class Error_Check {

	private const REPORT_EVENT = 'steward_report_errors';
	private const CAPABILITY   = 'item_errors';
	private const MAX_PAGES       = 4;
	private const URGENT_SECONDS  = 86400;
	/** Before that, no item was updated that could still be watched. */
	private const CHECKED_SECONDS = 7 * 86400;
	private const CHECKED_KINDS   = [ Error_Watch::FRONT, Error_Watch::REST, Error_Watch::LOGIN, Error_Watch::ADMIN, Error_Watch::AJAX ];
	private const MAX_POST_TYPES  = 10;
	private const MAX_ENTRIES     = 5;
	/** WordPress waits for a request that it does not wait for up to one second. */
	private const TIMEOUT_SECONDS = 0.01;

	/** @var array{group: array, key: string, kind: string, page: string, tried: string[], failures: int, first: string}|null */
	private static $task = null;

	/** @var bool */
	private static $has_ended = false;

	/** Counts an error of a request, and decides what follows from it. */
	public static function follow( Error_Group $group, bool $is_confirmed ): void {
		$can_report = self::panel_knows_errors();
		Error_Store::add( $group, $is_confirmed, $can_report && time() - $group->last_change_at < self::URGENT_SECONDS );
		if ( ! $can_report ) {
			return;
		}
		$is_checkable = ! $is_confirmed && ! $group->is_evaluated && in_array( $group->request_kind, self::CHECKED_KINDS, true ) && time() - $group->last_change_at < self::CHECKED_SECONDS;
		$task         = null;
		if ( $is_checkable && self::is_own_host( home_url() ) && Error_Store::begin_check( $group->key() ) ) {
			$task = self::choose_page(
				[
					'group'    => $group->to_array(),
					'key'      => $group->key(),
					'kind'     => $group->request_kind,
					'tried'    => [],
					'failures' => 0,
					'first'    => self::find_page_like_this( $group->request_kind ),
				]
			);
			null === $task && Error_Store::end_check();
		}
		self::schedule_report();
		self::continue_after_response( $task );
	}

	/** Runs the step that the ticket of this request is for. */
	public static function run( array $task ): void {
		// The request that has started this one does not wait for it.
		ignore_user_abort( true );
		if ( isset( $task['report'] ) ) {
			require_once dirname( __DIR__ ) . '/steward.php';
			Error_Report::send_if_due();
			exit;
		}
		self::$task = $task;
		add_filter( 'comments_pre_query', [ self::class, 'hide_comments' ], PHP_INT_MAX, 2 );
		add_filter( 'get_comments_number', '__return_zero', PHP_INT_MAX );
		add_filter( 'the_posts', [ self::class, 'hide_entries_of_others' ], PHP_INT_MAX );
		add_action( 'shutdown', [ self::class, 'end_step' ], PHP_INT_MIN );
		register_shutdown_function( [ self::class, 'end_step' ] );
	}

	/**
	 * Filter callback: a page must not fail because of what strangers have written.
	 *
	 * @param mixed             $unused Result of an earlier filter.
	 * @param \WP_Comment_Query $query  Query.
	 */
	public static function hide_comments( $unused, $query ) {
		return empty( $query->query_vars['count'] ) ? [] : 0;
	}

	/**
	 * Filter callback for lists, such as the home page, the feed and the search.
	 *
	 * @param \WP_Post[] $entries Entries.
	 */
	public static function hide_entries_of_others( $entries ) {
		return array_values( array_filter( (array) $entries, [ self::class, 'is_of_editor' ] ) );
	}

	/** Runs when the requested page ends. */
	public static function end_step(): void {
		if ( self::$has_ended ) {
			return;
		}
		self::$has_ended = true;
		try {
			ini_set( 'memory_limit', '-1' );
			$error     = Error_Watch::last_error();
			$task      = self::$task;
			$group     = null === $error ? null : Error_Group::from_error( $error, $task['kind'] );
			$has_error = null !== $group && ! $group->is_evaluated && $group->has_same_place( $task['group'] );
			if ( $has_error ) {
				++$task['failures'];
			} else {
				$task['failures'] = 0;
				$task['tried'][]  = $task['page'];
				$task             = self::choose_page( $task );
			}
			if ( $has_error && $task['failures'] >= Error_Store::NEEDED_FAILURES ) {
				Error_Store::confirm( $task['key'] );
				$task = null;
			} elseif ( null === $task ) {
				Error_Store::end_check();
			} elseif ( ! Error_Store::claim_check_request() ) {
				Error_Store::end_check( $task['key'] );
				$task = null;
			}
			self::continue_after_response( $task );
		} catch ( \Throwable $thrown ) {
			error_log( 'Steward: could not check an error: ' . $thrown->getMessage() );
		}
	}

	/** Starts the next step after all other functions have run: the visitor must not wait for it. */
	private static function continue_after_response( ?array $task ): void {
		register_shutdown_function(
			static function () use ( $task ): void {
				try {
					function_exists( 'fastcgi_finish_request' ) && fastcgi_finish_request();
					function_exists( 'litespeed_finish_request' ) && litespeed_finish_request();
					if ( null !== $task ) {
						self::request( $task['page'], $task );
					} elseif ( Error_Store::claim_report_start() ) {
						// WP-Cron responds at once and continues, so this request does not wait.
						self::request( self::main_site_url() . '/wp-cron.php?steward_errors=report', [ 'report' => true ] );
					}
				} catch ( \Throwable $thrown ) {
					error_log( 'Steward: could not start a request: ' . $thrown->getMessage() );
				}
			}
		);
	}

	/** Sends no credentials of this request: it may be of a stranger, and the error may depend on them. */
	private static function request( string $url, array $task ): void {
		if ( ! self::is_own_host( $url ) ) {
			return;
		}
		class_exists( Loopback::class ) || require_once dirname( __DIR__ ) . '/includes/Updating/Loopback.php';
		$ticket = Ticket::issue_for_errors( $url, $task );
		if ( '' !== $ticket ) {
			Loopback::request(
				add_query_arg( Ticket::PARAMETER, $ticket, $url ),
				[
					'method'   => 'GET',
					'headers'  => [ 'Cache-Control' => 'no-cache' ],
					'blocking' => false,
					'timeout'  => self::TIMEOUT_SECONDS,
				]
			);
		}
	}

	/** The report follows by WP-Cron if it cannot be sent now, or if the site cannot request its own pages. */
	private static function schedule_report(): void {
		$seconds = Error_Store::seconds_until_report();
		if ( null === $seconds ) {
			return;
		}
		$is_other_site = is_multisite() && ! is_main_site();
		$is_other_site && switch_to_blog( get_main_site_id() );
		if ( ! wp_next_scheduled( self::REPORT_EVENT ) ) {
			wp_schedule_single_event( time() + max( Error_Store::REPORT_PAUSE_SECONDS, $seconds ), self::REPORT_EVENT );
		}
		$is_other_site && restore_current_blog();
	}

	/** Without the panel's support nothing is sent or checked, but errors are counted: the panel may be updated. */
	private static function panel_knows_errors(): bool {
		return in_array( self::CAPABILITY, (array) ( self::state()['panel_capabilities'] ?? [] ), true );
	}

	private static function state(): array {
		return (array) ( is_multisite() ? get_blog_option( get_main_site_id(), 'steward_state', [] ) : get_option( 'steward_state', [] ) );
	}

	/**
	 * Whether the address is on the host that the site was connected with; in a network, on that of the current site or of the
	 * main site. Some sites take their address from the Host header, so a stranger could choose who gets the ticket.
	 */
	private static function is_own_host( string $url ): bool {
		$own = [ self::host( (string) ( self::state()['site_url'] ?? '' ) ) ];
		is_multisite() && $own[] = self::host( 'http://' . get_site()->domain );
		return in_array( self::host( $url ), array_filter( $own ), true );
	}

	private static function host( string $url ): string {
		$parts = parse_url( $url );
		return strtolower( $parts['host'] ?? '' ) . ( isset( $parts['port'] ) ? ':' . $parts['port'] : '' );
	}

	private static function main_site_url(): string {
		return untrailingslashit( (string) ( is_multisite() ? get_site_url( get_main_site_id() ) : get_option( 'siteurl' ) ) );
	}

	/** Returns the task with its next page, or null if all pages were tried. */
	private static function choose_page( array $task ): ?array {
		$left = count( $task['tried'] ) < self::MAX_PAGES ? array_diff( self::list_pages( $task['kind'], $task['first'] ), $task['tried'] ) : [];
		return [] === $left ? null : [ 'page' => reset( $left ) ] + $task;
	}

	/** @return string[] Pages of this site. None of them contains anything that a visitor has sent. */
	private static function list_pages( string $kind, string $first ): array {
		switch ( $kind ) {
			case Error_Watch::ADMIN:
			case Error_Watch::AJAX:
				return [ admin_url( 'admin-ajax.php?action=steward' ) ];
			case Error_Watch::LOGIN:
				return [ site_url( 'wp-login.php' ) ];
			case Error_Watch::REST:
				return isset( $GLOBALS['wp_rewrite'] ) ? [ rest_url( 'wp/v2/posts' ), rest_url( '/' ) ] : [ home_url( '/?rest_route=/wp/v2/posts' ), home_url( '/?rest_route=/' ) ];
		}
		$pages = array_filter( [ $first, home_url( '/' ) ] );
		try {
			foreach ( array_slice( get_post_types( [ 'public' => true ] ), 0, self::MAX_POST_TYPES ) as $type ) {
				$entries = get_posts(
					[
						'post_type'        => $type,
						'numberposts'      => self::MAX_ENTRIES,
						'has_password'     => false,
						'suppress_filters' => true,
					]
				);
				$entries = array_filter( $entries, [ self::class, 'is_own_entry' ] );
				if ( [] !== $entries ) {
					$pages[] = (string) get_permalink( reset( $entries ) );
				}
			}
		} catch ( \Throwable $thrown ) {
			// The error can prevent WordPress from finding its entries.
			return array_values( array_unique( $pages ) );
		}
		return array_values( array_unique( $pages ) );
	}

	/** Returns the page of the list that is most like the failed one, or ''. */
	private static function find_page_like_this( string $kind ): string {
		try {
			if ( Error_Watch::FRONT !== $kind || empty( $GLOBALS['wp_query']->query_vars ) || ! did_action( 'init' ) ) {
				return '';
			}
			if ( is_feed() ) {
				return (string) get_feed_link();
			}
			if ( is_search() ) {
				return home_url( '/?s=a' );
			}
			if ( is_post_type_archive() ) {
				$type = get_query_var( 'post_type' );
				return (string) get_post_type_archive_link( is_array( $type ) ? (string) reset( $type ) : $type );
			}
			$entry = is_singular() ? get_queried_object() : null;
			return $entry instanceof \WP_Post && self::is_own_entry( $entry ) ? (string) get_permalink( $entry ) : '';
		} catch ( \Throwable $thrown ) {
			return '';
		}
	}

	/**
	 * Whether the entry is public, and from an editor of this site.
	 *
	 * @param \WP_Post $entry Entry.
	 */
	private static function is_own_entry( $entry ): bool {
		return 'publish' === $entry->post_status && '' === $entry->post_password && self::is_of_editor( $entry );
	}

	/**
	 * Visitors of a forum or a shop can publish entries too, and on some sites every new user is an author.
	 *
	 * @param \WP_Post $entry Entry.
	 */
	private static function is_of_editor( $entry ): bool {
		return isset( $entry->post_author ) && user_can( (int) $entry->post_author, 'edit_others_posts' );
	}
}
