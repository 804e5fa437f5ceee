<?php
/**
 * @package Steward
 */

namespace Steward\Health;

use Steward\Updating\Loopback;
use Steward\Watchdog\Files;
use Steward\Watchdog\Ticket;

defined( 'ABSPATH' ) || exit;

/** Requests several pages of the site in parallel, each with its own ticket. */
final class Page_Checker {

	private const TIMEOUT_SECONDS = 10;
	/** Time for all pages. The web server ends a call that takes much longer. */
	private const MAX_SECONDS = 25;
	/** Kept low: a host may have few PHP processes, and visitors need some of them. */
	private const CONCURRENCY   = 3;
	private const MAX_REDIRECTS = 5;
	/** A request that starts later has waited for a free PHP process. */
	private const MAX_START_SECONDS = 1;
	/** PHP can send a response before the request ends and reports. WP-Cron responds before it runs its events. */
	private const MAX_REPORT_WAIT_SECONDS = 1;
	private const MAX_CRON_WAIT_SECONDS   = 5;
	private const MAX_PRINTED_LENGTH      = 100;

	/** @var string[] Folders and files of the items. */
	private $paths;

	/** @var bool Whether the pages report what the items have registered. */
	private $finds_pages;

	/** @var float */
	private $deadline;

	/** @var array<string, Page_Result> */
	private $results = [];

	private function __construct( array $paths, bool $finds_pages ) {
		$this->paths       = $paths;
		$this->finds_pages = $finds_pages;
		$this->deadline    = microtime( true ) + self::MAX_SECONDS;
	}

	/**
	 * Checks the pages in chunks. If pages of a chunk time out, requests them again, and all further pages, one at a time. Skips
	 * the remaining pages at the deadline, or if no page has sent a report.
	 *
	 * @param array<string, Page> $pages       Pages by key.
	 * @param string[]            $paths       Folders and files of the items.
	 * @param bool                $finds_pages Whether the pages report what the items have registered.
	 * @return array<string, Page_Result>
	 */
	public static function check( array $pages, array $paths, bool $finds_pages = false ): array {
		$checker     = new self( $paths, $finds_pages );
		$concurrency = self::CONCURRENCY;
		while ( [] !== $pages && $checker->may_continue() ) {
			$chunk = array_slice( $pages, 0, $concurrency, true );
			$checker->check_pages( $chunk );
			$timed_out   = array_filter( array_intersect_key( $checker->results, $chunk ), [ self::class, 'has_timed_out' ] );
			$is_parallel = $concurrency > 1;
			$concurrency = [] === $timed_out ? $concurrency : 1;
			// The host may answer fewer requests at once, so a page counts as slow only if it times out alone.
			$pages = ( $is_parallel ? array_intersect_key( $chunk, $timed_out ) : [] ) + array_diff_key( $pages, $chunk );
		}
		foreach ( array_keys( $pages ) as $key ) {
			$checker->results[ $key ] = $checker->results[ $key ] ?? Page_Result::skipped();
		}
		return $checker->results;
	}

	private static function has_timed_out( Page_Result $result ): bool {
		return $result->is_timed_out();
	}

	private function may_continue(): bool {
		if ( [] === $this->results ) {
			return true;
		}
		if ( microtime( true ) > $this->deadline ) {
			return false;
		}
		$is_alone = false;
		foreach ( $this->results as $result ) {
			if ( null !== $result->report ) {
				return true;
			}
			$is_alone = $is_alone || $result->is_requested_alone;
		}
		// One page gets another chance alone.
		return ! $is_alone && [] !== array_filter( $this->results, [ self::class, 'has_timed_out' ] );
	}

	/**
	 * Requests pages and follows redirects.
	 *
	 * @param array<string, Page> $pages Pages by key.
	 */
	private function check_pages( array $pages ): void {
		$urls = array_map(
			static function ( Page $page ): string {
				return $page->url;
			},
			$pages
		);
		for ( $redirects = 0; [] !== $urls; $redirects++ ) {
			$urls = $this->request_pages( $urls, $pages, $redirects );
		}
	}

	/**
	 * @param array<string, string> $urls  URLs by the key of the page.
	 * @param array<string, Page>   $pages Pages by key.
	 * @return array<string, string> Targets of redirects to follow, by the key of the page.
	 */
	private function request_pages( array $urls, array $pages, int $redirects ): array {
		$tickets  = [];
		$requests = [];
		foreach ( $urls as $key => $url ) {
			$tickets[ $key ]  = Ticket::issue( $pages[ $key ]->user, $this->paths, $url, $this->finds_pages );
			$requests[ $key ] = [
				'url'          => add_query_arg( Ticket::PARAMETER, $tickets[ $key ], $url ),
				'is_signed_in' => $pages[ $key ]->user > 0,
			];
		}
		$redirects_to_follow = [];
		$sent                = microtime( true );
		$responses           = Loopback::get_all( $requests, (int) apply_filters( 'steward_health_check_timeout', self::TIMEOUT_SECONDS ) );
		$received            = microtime( true );
		foreach ( $responses as $key => $response ) {
			$kind    = $pages[ $key ]->kind;
			$result  = new Page_Result();
			$started = Ticket::redeemed_at( $tickets[ $key ] );

			$result->is_requested_alone = 1 === count( $pages );
			$result->is_started_at_once = null !== $started && $started - $sent < self::MAX_START_SECONDS;
			if ( $response['status'] >= 200 && 403 !== $response['status'] && $response['status'] < 500 ) {
				self::wait_for_report( $tickets[ $key ], $received + ( Page::CRON === $kind ? self::MAX_CRON_WAIT_SECONDS : self::MAX_REPORT_WAIT_SECONDS ) );
			}
			$result->report       = Ticket::collect( $tickets[ $key ] );
			$result->status       = $response['status'];
			$result->failure      = $response['failure'];
			$result->size         = strlen( $response['body'] );
			$result->is_complete  = self::is_complete( $response['body'], $kind );
			$result->is_steward   = Page::JSON === $kind && 'invalid_service_key' === ( json_decode( $response['body'], true )['code'] ?? '' );
			if ( $pages[ $key ]->has_text() && $response['status'] >= 200 && $response['status'] < 300 ) {
				$result->text           = new Page_Text( Page::JSON === $kind ? self::readable_json( $response['body'] ) : $response['body'] );
				$result->printed_before = Page::HTML === $kind ? '' : self::printed_before( $response['body'], $kind );
			}
			$result->redirect_url = $redirects > 0 ? $urls[ $key ] : null;
			$target               = self::redirect_target( $response, $urls[ $key ] );
			if ( null !== $target ) {
				$result->redirect_url     = $target;
				$result->is_redirect_loop = $redirects >= self::MAX_REDIRECTS;
				if ( ! $result->is_redirect_loop && Page::HTML === $kind && wp_parse_url( $target, PHP_URL_HOST ) === wp_parse_url( $urls[ $key ], PHP_URL_HOST ) ) {
					$redirects_to_follow[ $key ] = $target;
				}
			}
			$this->results[ $key ] = $result;
		}
		return $redirects_to_follow;
	}

	private static function redirect_target( array $response, string $url ): ?string {
		if ( $response['status'] < 300 || $response['status'] >= 400 || '' === $response['location'] ) {
			return null;
		}
		$target = remove_query_arg( Ticket::PARAMETER, $response['location'] );
		return \WP_Http::make_absolute_url( $target, $url );
	}

	private static function is_complete( string $body, string $kind ): bool {
		switch ( $kind ) {
			case Page::HTML:
				return false !== stripos( $body, '</html>' );
			case Page::JSON:
				return null !== json_decode( $body ) || 'null' === trim( $body );
			case Page::FEED:
				return 0 === strpos( $body, '<?xml' ) && (bool) preg_match( '~</(?:rss|feed|rdf:RDF)>\s*$~i', $body );
			default:
				return true;
		}
	}

	private static function readable_json( string $body ): string {
		return (string) wp_json_encode( json_decode( $body, true ), JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES );
	}

	/** Returns the message of PHP that a response prints before its JSON or XML, or ''. Other text may be private. */
	private static function printed_before( string $body, string $kind ): string {
		if ( 0 === strpos( $body, "\xEF\xBB\xBF" ) ) {
			return 'BOM';
		}
		$bytes   = Page::FEED === $kind ? (int) strpos( $body, '<?xml' ) : strcspn( $body, '{[' );
		$printed = trim( (string) preg_replace( '/\s+/', ' ', strip_tags( substr( $body, 0, $bytes ) ) ) );
		$is_by_php = preg_match( '/^(?:PHP )?(?:Warning|Notice|Deprecated|Strict Standards|Fatal error|Parse error)\b/', $printed );
		return $is_by_php ? wp_html_excerpt( Files::shorten_paths( $printed ), self::MAX_PRINTED_LENGTH, '…' ) : '';
	}

	private static function wait_for_report( string $ticket, float $deadline ): void {
		while ( microtime( true ) < $deadline ) {
			$report = Ticket::read_report( $ticket );
			if ( ! empty( $report['is_finished'] ) || isset( $report['fatal'] ) ) {
				return;
			}
			usleep( 5000 );
		}
	}
}
