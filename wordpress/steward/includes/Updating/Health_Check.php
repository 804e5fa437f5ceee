<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * Asks the site for pages as a visitor would, to see whether a change has broken it: the request that changes a plugin
 * still runs the old code and cannot know.
 *
 * WordPress has a way to make a page say which fatal error ended it, made for its file editor. Its answer carries a
 * random key, so a page from a cache is never taken for one.
 */
final class Health_Check {

	private const TIMEOUT_SECONDS = 15;
	private const ATTEMPTS        = 3;
	/** A page that is built by PHP, and died; or no PHP that answers. */
	private const TELLING_STATUSES = [ 500, 502, 504 ];

	/** @var array<string, string|null> By page: how it could be judged before anything was changed, or null. */
	private $methods = [];

	/** @var array<string, int> Pages that belong to another site of the network. */
	private $sites = [];

	/**
	 * Before a change: a page that was broken already, or cannot be reached from here, proves nothing later.
	 *
	 * @param int[] $other_sites Of the network, that this change is about; one of them is asked too.
	 */
	public function remember( array $other_sites = [] ): void {
		$pages = $this->pages();
		foreach ( array_slice( $other_sites, 0, 1 ) as $site ) {
			$page                 = get_home_url( $site, '/' );
			$this->sites[ $page ] = $site;
			$pages[]              = $page;
		}
		foreach ( $pages as $page ) {
			if ( ! array_key_exists( $page, $this->methods ) ) {
				$this->methods[ $page ] = $this->working_method( $page );
			}
		}
	}

	/** What is wrong now and was not before; null when nothing is, or nothing can be told. */
	public function fault(): ?string {
		foreach ( array_filter( $this->methods ) as $page => $method ) {
			$fault = $this->fault_of( $page, $method );
			if ( null !== $fault ) {
				return $fault;
			}
		}
		return null;
	}

	/** @return string[] One built as for visitors, one as for the admin area, and what the panel talks to. */
	private function pages(): array {
		return [
			home_url( '/' ),
			admin_url( 'admin-ajax.php?action=steward-health' ),
			home_url( '/?rest_route=/' ),
		];
	}

	/** No page cache answers a POST; but some sites take none from strangers. */
	private function working_method( string $page ): ?string {
		foreach ( [ 'POST', 'GET' ] as $method ) {
			if ( true === $this->look( $page, $method ) ) {
				return $method;
			}
		}
		return null;
	}

	/** A fatal error says so. All else, a site that was healthy before has to show several times. */
	private function fault_of( string $page, string $method ): ?string {
		for ( $attempt = 1; ; $attempt++ ) {
			$seen = $this->look( $page, $method );
			if ( null === $seen || true === $seen ) {
				return null;
			}
			if ( is_string( $seen ) ) {
				return $seen;
			}
			if ( self::ATTEMPTS === $attempt ) {
				return is_wp_error( $seen )
					/* translators: %s: Error message. */
					? sprintf( __( 'Pages of this site no longer answer: %s', 'steward' ), $seen->get_error_message() )
					/* translators: %d: HTTP status code. */
					: sprintf( __( 'Pages of this site answer with status %d.', 'steward' ), $seen );
			}
			usleep( 300000 );
		}
	}

	/** @return true|string|int|WP_Error|null Healthy; the fatal error; a telling status; no answer; or nothing that could be told. */
	private function look( string $page, string $method ) {
		$key   = md5( wp_generate_password( 32, false ) );
		$nonce = wp_generate_password( 20, false );
		$this->on_site_of( $page, 'set_transient', 'scrape_key_' . $key, $nonce, MINUTE_IN_SECONDS );
		$response = Loopback::request(
			add_query_arg(
				[
					'wp_scrape_key'   => $key,
					'wp_scrape_nonce' => $nonce,
				],
				$page
			),
			[
				'method'  => $method,
				'timeout' => (int) apply_filters( 'steward_health_check_timeout', self::TIMEOUT_SECONDS ),
			]
		);
		$this->on_site_of( $page, 'delete_transient', 'scrape_key_' . $key );
		if ( is_wp_error( $response ) ) {
			return $response;
		}
		$pattern = '/###### wp_scraping_result_start:' . $key . ' ######\s*(.*?)\s*###### wp_scraping_result_end/s';
		if ( preg_match( $pattern, wp_remote_retrieve_body( $response ), $match ) ) {
			$error = json_decode( $match[1], true );
			return is_array( $error ) ? $this->sentence( $error ) : true;
		}
		$status = (int) wp_remote_retrieve_response_code( $response );
		return in_array( $status, self::TELLING_STATUSES, true ) ? $status : null;
	}

	/** Each site of a network reads only what lies in its own tables. */
	private function on_site_of( string $page, callable $function, ...$arguments ): void {
		if ( isset( $this->sites[ $page ] ) ) {
			switch_to_blog( $this->sites[ $page ] );
			$function( ...$arguments );
			restore_current_blog();
		} else {
			$function( ...$arguments );
		}
	}

	private function sentence( array $error ): string {
		$message = (string) strtok( (string) ( $error['message'] ?? '' ), "\n" );
		$file    = (string) ( $error['file'] ?? '' );
		$where   = false === strpos( $message, $file ) ? sprintf( ' (%s:%d)', $file, (int) ( $error['line'] ?? 0 ) ) : '';
		return rtrim( str_replace( ABSPATH, '', $message ) ) . ( '' === $file ? '' : $where );
	}
}
