<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** The folder with the lock, the journal and the backups of an update. */
final class State {

	const MAX_UPDATE_SECONDS = 900;

	/** Returns a folder whose name cannot be guessed: some web servers ignore .htaccess and would serve its files. */
	public static function folder(): string {
		return WP_CONTENT_DIR . '/steward-' . self::secret();
	}

	/**
	 * Returns a folder next to an item, for items on another file system than wp-content. WordPress ignores names that
	 * start with a dot.
	 */
	public static function folder_beside( string $path ): string {
		return dirname( $path ) . '/.steward-' . self::secret();
	}

	public static function file( string $name ): string {
		return self::folder() . '/' . $name;
	}

	public static function read( string $name ): ?array {
		$content = is_file( self::file( $name ) ) ? json_decode( (string) @file_get_contents( self::file( $name ) ), true ) : null;
		return is_array( $content ) ? $content : null;
	}

	/** Writes atomically: other requests can read the file at any time. */
	public static function write( string $name, array $content ): bool {
		$temporary = self::file( $name ) . '.new';
		$json      = (string) json_encode( $content, JSON_INVALID_UTF8_SUBSTITUTE );
		return strlen( $json ) === @file_put_contents( $temporary, $json ) && @rename( $temporary, self::file( $name ) );
	}

	/** Returns the host name, or '' if gethostname() is disabled. */
	public static function host(): string {
		return function_exists( 'gethostname' ) ? (string) gethostname() : '';
	}

	private static function secret(): string {
		return substr( hash( 'sha256', ( defined( 'AUTH_KEY' ) ? AUTH_KEY : '' ) . ABSPATH ), 0, 16 );
	}
}
