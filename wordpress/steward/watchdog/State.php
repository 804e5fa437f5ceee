<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** The folder with the lock, the journal and the backups of an update. */
final class State {

	const MAX_UPDATE_SECONDS = 900;

	/** First line of a data file: a web server runs the file, and it prints nothing. */
	private const FIRST_LINE = "<?php exit; ?>\n";

	/** Returns a folder whose name cannot be guessed: some web servers ignore .htaccess and would serve its files. */
	public static function folder(): string {
		return WP_CONTENT_DIR . '/steward-' . State_Name::current();
	}

	/**
	 * Returns a folder next to an item, for items on another file system than wp-content. WordPress ignores names that
	 * start with a dot.
	 */
	public static function folder_beside( string $path ): string {
		return dirname( $path ) . '/.steward-' . State_Name::current();
	}

	/** Returns the path of a file. A data file `….json` is a PHP file, except in the folder of an older version. */
	public static function file( string $name ): string {
		$is_older = State_Name::is_computed_in_use();
		return self::folder() . '/' . ( $is_older ? $name : self::guarded_name( $name ) );
	}

	public static function read( string $name ): ?array {
		$content = self::parse( self::file( $name ) );
		return null !== $content && ! self::is_copied( $content ) ? $content : null;
	}

	/** Whether the file exists, but cannot be read now or contains something else. */
	public static function is_damaged( string $name ): bool {
		return is_file( self::file( $name ) ) && null === self::parse( self::file( $name ) );
	}

	private static function parse( string $file ): ?array {
		$text    = is_file( $file ) ? (string) @file_get_contents( $file ) : '';
		$content = json_decode( 0 === strpos( $text, self::FIRST_LINE ) ? substr( $text, strlen( self::FIRST_LINE ) ) : $text, true );
		return is_array( $content ) ? $content : null;
	}

	public static function write( string $name, array $content ): bool {
		return self::write_file( self::file( $name ), $content );
	}

	/** Writes atomically: other requests can read, and write, the file at any time. */
	public static function write_file( string $file, array $content ): bool {
		$temporary = dirname( $file ) . '/new-' . bin2hex( random_bytes( 4 ) ) . '-' . basename( $file );
		$text      = ( '.php' === substr( $file, -4 ) ? self::FIRST_LINE : '' ) . json_encode( $content, JSON_INVALID_UTF8_SUBSTITUTE );
		$is_saved  = strlen( $text ) === @file_put_contents( $temporary, $text ) && @rename( $temporary, $file );
		$is_saved || @unlink( $temporary );
		return $is_saved;
	}

	/** Returns the field of a record with paths of this site. A copy of the site must not use it. */
	public static function place(): array {
		return [ 'state_folder' => (string) @realpath( self::folder() ) ];
	}

	/** Whether the record belongs to another site on this server, whose files were copied during an update. */
	private static function is_copied( array $content ): bool {
		return isset( $content['state_folder'] ) && self::place()['state_folder'] !== $content['state_folder'];
	}

	/** Returns the name of a data file in a folder with a random name. */
	public static function guarded_name( string $name ): string {
		return (string) preg_replace( '/\.json$/D', '.php', $name );
	}

	/** Returns the host name, or '' if gethostname() is disabled. */
	public static function host(): string {
		return function_exists( 'gethostname' ) ? (string) gethostname() : '';
	}
}
