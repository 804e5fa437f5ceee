<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

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

	/** @var array<string, bool>|null Whether a page could be judged before anything was changed. */
	private $was_healthy = null;

	/** Before a change: a page that was broken already, or cannot be reached from here, proves nothing later. */
	public function remember(): void {
		if ( null !== $this->was_healthy ) {
			return;
		}
		$this->was_healthy = [];
		foreach ( $this->pages() as $page ) {
			$this->was_healthy[ $page ] = true === $this->look( $page );
		}
	}

	/** What is wrong now and was not before; null when nothing is, or nothing can be told. */
	public function fault(): ?string {
		foreach ( array_keys( array_filter( (array) $this->was_healthy ) ) as $page ) {
			$fault = $this->fault_of( $page );
			if ( null !== $fault ) {
				return $fault;
			}
		}
		return null;
	}

	/** @return string[] One built as for visitors, one as for the admin area. */
	private function pages(): array {
		return [ home_url( '/' ), admin_url( 'admin-ajax.php' ) ];
	}

	private function fault_of( string $page ): ?string {
		for ( $attempt = 1; ; $attempt++ ) {
			$seen = $this->look( $page );
			if ( null === $seen || true === $seen ) {
				return null;
			}
			// A fatal error says so. A bare status may be a server that is busy for a moment.
			if ( is_string( $seen ) || $attempt === self::ATTEMPTS ) {
				return is_string( $seen )
					? $seen
					/* translators: %d: HTTP status code. */
					: sprintf( __( 'Pages of this site answer with status %d.', 'steward' ), $seen );
			}
			usleep( 300000 );
		}
	}

	/** @return true|string|int|null Healthy; the fatal error; a status that tells of one; or nothing that could be told. */
	private function look( string $page ) {
		$key   = md5( wp_generate_password( 32, false ) );
		$nonce = wp_generate_password( 20, false );
		set_transient( 'scrape_key_' . $key, $nonce, 60 );
		$response = wp_remote_get(
			add_query_arg(
				[
					'wp_scrape_key'   => $key,
					'wp_scrape_nonce' => $nonce,
				],
				$page
			),
			[
				'timeout'   => self::TIMEOUT_SECONDS,
				'headers'   => [ 'Cache-Control' => 'no-cache' ] + $this->basic_authorization(),
				'sslverify' => apply_filters( 'https_local_ssl_verify', false ),
			]
		);
		delete_transient( 'scrape_key_' . $key );
		$pattern = '/###### wp_scraping_result_start:' . $key . ' ######\s*(.*?)\s*###### wp_scraping_result_end/s';
		if ( preg_match( $pattern, wp_remote_retrieve_body( $response ), $match ) ) {
			$error = json_decode( $match[1], true );
			return is_array( $error ) ? $this->sentence( $error ) : true;
		}
		$status = (int) wp_remote_retrieve_response_code( $response );
		return in_array( $status, [ 500, 502 ], true ) ? $status : null;
	}

	/** Test sites are often behind a password, which the panel had to send as well. */
	private function basic_authorization(): array {
		if ( ! isset( $_SERVER['PHP_AUTH_USER'], $_SERVER['PHP_AUTH_PW'] ) ) {
			return [];
		}
		$login = wp_unslash( $_SERVER['PHP_AUTH_USER'] ) . ':' . wp_unslash( $_SERVER['PHP_AUTH_PW'] ); // phpcs:ignore WordPress.Security
		return [ 'Authorization' => 'Basic ' . base64_encode( $login ) ];
	}

	private function sentence( array $error ): string {
		$message = (string) strtok( (string) ( $error['message'] ?? '' ), "\n" );
		$file    = (string) ( $error['file'] ?? '' );
		$where   = false === strpos( $message, $file ) ? sprintf( ' (%s:%d)', $file, (int) ( $error['line'] ?? 0 ) ) : '';
		return rtrim( str_replace( ABSPATH, '', $message ) ) . ( '' === $file ? '' : $where );
	}
}
