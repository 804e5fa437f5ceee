<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** The folder in which an update keeps its lock, its journal and the versions it replaces. */
final class State {

	const LONGEST_UPDATE_SECONDS = 900;

	/** Not every web server heeds .htaccess, so the name is one that cannot be guessed. */
	public static function folder(): string {
		return WP_CONTENT_DIR . '/steward-' . self::secret();
	}

	/** Beside something that lies on another file system than wp-content. WordPress skips names with a dot. */
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

	/** In one step: it is read at any time. */
	public static function write( string $name, array $content ): bool {
		$temporary = self::file( $name ) . '.new';
		$json      = (string) json_encode( $content, JSON_INVALID_UTF8_SUBSTITUTE );
		return strlen( $json ) === @file_put_contents( $temporary, $json ) && @rename( $temporary, self::file( $name ) );
	}

	/** The machine; '' where the host does not let PHP know. */
	public static function host(): string {
		return function_exists( 'gethostname' ) ? (string) gethostname() : '';
	}

	private static function secret(): string {
		return substr( hash( 'sha256', ( defined( 'AUTH_KEY' ) ? AUTH_KEY : '' ) . ABSPATH ), 0, 16 );
	}
}
