<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Watchdog\Ticket;

defined( 'ABSPATH' ) || exit;

/** Requests several pages of the site in parallel, each with its own ticket. */
final class Page_Checker {

	private const TIMEOUT_SECONDS = 10;
	/** Kept low: a host may have few PHP processes, and visitors need some of them. */
	private const CONCURRENCY   = 3;
	private const MAX_REDIRECTS = 5;
	/** PHP can send a response before the request ends and reports. WP-Cron responds before it runs its events. */
	private const MAX_REPORT_WAIT_SECONDS = 1;
	private const MAX_CRON_WAIT_SECONDS   = 5;

	/** @var string[] Replaced folders and files. */
	private $paths;

	/** @var array<string, Page_Result> */
	private $results = [];

	/** @param string[] $paths Replaced folders and files. */
	private function __construct( array $paths ) {
		$this->paths = $paths;
	}

	/**
	 * Checks the pages in chunks. Skips the remaining chunks after the timeout, or if no page has sent a report.
	 *
	 * @param array<string, Page> $pages Pages by key.
	 * @param string[]            $paths Replaced folders and files.
	 * @return array<string, Page_Result>
	 */
	public static function check( array $pages, array $paths ): array {
		$checker  = new self( $paths );
		$deadline = microtime( true ) + self::TIMEOUT_SECONDS;
		foreach ( array_chunk( $pages, self::CONCURRENCY, true ) as $chunk ) {
			if ( microtime( true ) < $deadline && ( [] === $checker->results || $checker->has_report() ) ) {
				$checker->check_pages( $chunk );
			} else {
				$checker->results += array_fill_keys( array_keys( $chunk ), Page_Result::skipped() );
			}
		}
		return $checker->results;
	}

	private function has_report(): bool {
		foreach ( $this->results as $result ) {
			if ( null !== $result->report ) {
				return true;
			}
		}
		return false;
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
			$tickets[ $key ]  = Ticket::issue( $pages[ $key ]->user, $this->paths, $url );
			$requests[ $key ] = [
				'url'          => add_query_arg( Ticket::PARAMETER, $tickets[ $key ], $url ),
				'is_signed_in' => $pages[ $key ]->user > 0,
			];
		}
		$redirects_to_follow = [];
		$responses           = Loopback::get_all( $requests, (int) apply_filters( 'steward_health_check_timeout', self::TIMEOUT_SECONDS ) );
		$received            = microtime( true );
		foreach ( $responses as $key => $response ) {
			$result = new Page_Result();
			$kind   = $pages[ $key ]->kind;
			if ( $response['status'] >= 200 && 403 !== $response['status'] && $response['status'] < 500 ) {
				self::wait_for_report( $tickets[ $key ], $received + ( Page::CRON === $kind ? self::MAX_CRON_WAIT_SECONDS : self::MAX_REPORT_WAIT_SECONDS ) );
			}
			$result->report       = Ticket::collect( $tickets[ $key ] );
			$result->status       = $response['status'];
			$result->failure      = $response['failure'];
			$result->size         = strlen( $response['body'] );
			$result->is_complete  = self::is_complete( $response['body'], $kind );
			$result->is_steward   = Page::JSON === $kind && 'invalid_service_key' === ( json_decode( $response['body'], true )['code'] ?? '' );
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
				return is_array( json_decode( $body, true ) );
			default:
				return true;
		}
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
