<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Watchdog\Ticket;

defined( 'ABSPATH' ) || exit;

/** Looks at several pages of the site at once, each with a ticket of its own. */
final class Site_Look {

	private const TIMEOUT_SECONDS = 10;
	/** A host may have few processes for PHP, and its other visitors should get some of them. */
	private const AT_ONCE = 3;
	private const MOST_REDIRECTS  = 5;
	/** PHP may send an answer before it has ended; WP-Cron answers before it begins. */
	private const REPORT_SECONDS = 1;
	private const CRON_SECONDS   = 5;

	/** @var string[] Of what was replaced. */
	private $paths;

	/** @var array<string, Look> */
	private $looks = [];

	/** @param string[] $paths Of what was replaced. */
	private function __construct( array $paths ) {
		$this->paths = $paths;
	}

	/**
	 * Some at once, until the time is over or it is clear that the site cannot be seen from here.
	 *
	 * @param array<string, Page> $pages By any name.
	 * @param string[]            $paths Of what was replaced.
	 * @return array<string, Look>
	 */
	public static function at( array $pages, array $paths ): array {
		$look  = new self( $paths );
		$until = microtime( true ) + self::TIMEOUT_SECONDS;
		foreach ( array_chunk( $pages, self::AT_ONCE, true ) as $some ) {
			if ( microtime( true ) < $until && ( [] === $look->looks || $look->has_seen() ) ) {
				$look->follow( $some );
			} else {
				$look->looks += array_fill_keys( array_keys( $some ), Look::skipped() );
			}
		}
		return $look->looks;
	}

	private function has_seen(): bool {
		foreach ( $this->looks as $look ) {
			if ( null !== $look->report ) {
				return true;
			}
		}
		return false;
	}

	/** @param array<string, Page> $pages Where to look, and where that leads. */
	private function follow( array $pages ): void {
		$urls = array_map(
			static function ( Page $page ): string {
				return $page->url;
			},
			$pages
		);
		for ( $redirects = 0; [] !== $urls; $redirects++ ) {
			$urls = $this->ask( $urls, $pages, $redirects );
		}
	}

	/**
	 * @param array<string, string> $urls  By the name of the page they belong to.
	 * @param array<string, Page>   $pages Who looks at it, and what it should be.
	 * @return array<string, string> Where the answers lead.
	 */
	private function ask( array $urls, array $pages, int $redirects ): array {
		$tickets  = [];
		$requests = [];
		foreach ( $urls as $name => $url ) {
			$tickets[ $name ]  = Ticket::issue( $pages[ $name ]->user, $this->paths );
			$requests[ $name ] = [
				'url'          => add_query_arg( Ticket::PARAMETER, $tickets[ $name ], $url ),
				'is_signed_in' => $pages[ $name ]->user > 0,
			];
		}
		$next      = [];
		$responses = Loopback::get_all( $requests, (int) apply_filters( 'steward_health_check_timeout', self::TIMEOUT_SECONDS ) );
		$answered  = microtime( true );
		foreach ( $responses as $name => $response ) {
			$look = new Look();
			$kind = $pages[ $name ]->kind;
			if ( $response['status'] >= 200 && 403 !== $response['status'] && $response['status'] < 500 ) {
				self::wait_for_report( $tickets[ $name ], $answered + ( Page::CRON === $kind ? self::CRON_SECONDS : self::REPORT_SECONDS ) );
			}
			$look->report   = Ticket::collect( $tickets[ $name ] );
			$look->status   = $response['status'];
			$look->failure  = $response['failure'];
			$look->size     = strlen( $response['body'] );
			$look->is_whole = self::is_whole( $response['body'], $kind );
			$look->leads_to = $redirects > 0 ? $urls[ $name ] : null;
			$target         = self::target( $response, $urls[ $name ] );
			if ( null !== $target ) {
				$look->leads_to = $target;
				$look->is_loop  = $redirects >= self::MOST_REDIRECTS;
				if ( ! $look->is_loop && Page::HTML === $kind && wp_parse_url( $target, PHP_URL_HOST ) === wp_parse_url( $urls[ $name ], PHP_URL_HOST ) ) {
					$next[ $name ] = $target;
				}
			}
			$this->looks[ $name ] = $look;
		}
		return $next;
	}

	private static function target( array $response, string $url ): ?string {
		if ( $response['status'] < 300 || $response['status'] >= 400 || '' === $response['location'] ) {
			return null;
		}
		$target = remove_query_arg( Ticket::PARAMETER, $response['location'] );
		return \WP_Http::make_absolute_url( $target, $url );
	}

	private static function is_whole( string $body, string $kind ): bool {
		switch ( $kind ) {
			case Page::HTML:
				return false !== stripos( $body, '</html>' );
			case Page::JSON:
				return is_array( json_decode( $body, true ) );
			default:
				return true;
		}
	}

	private static function wait_for_report( string $ticket, float $until ): void {
		while ( microtime( true ) < $until ) {
			$seen = Ticket::report_of( $ticket );
			if ( ! empty( $seen['is_finished'] ) || isset( $seen['fatal'] ) ) {
				return;
			}
			usleep( 5000 );
		}
	}
}
