<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * The random part of the names of the state folders. It works without the database.
 *
 * The functions `file` and `find_name` in guard.php follow the same rule.
 */
final class State_Name {

	/** Contains the random name. Web servers run this file, and it prints nothing. */
	private const FILE = '/steward-state.php';

	/** @var string|null Name of this request, if the file cannot be written. */
	private static $unstored = null;

	/** Returns the name in use: the computed one while its folder exists, because an older version may be using it. */
	public static function current(): string {
		return self::is_computed_in_use() ? self::computed() : self::random();
	}

	/** Whether the folder of an older version exists. State_Move renames it. */
	public static function is_computed_in_use(): bool {
		$folder = WP_CONTENT_DIR . '/steward-' . self::computed();
		clearstatcache( true, $folder );
		return is_dir( $folder );
	}

	/** Returns the name that older versions of this plugin use. */
	public static function computed(): string {
		return substr( hash( 'sha256', ( defined( 'AUTH_KEY' ) ? AUTH_KEY : '' ) . ABSPATH ), 0, 16 );
	}

	/** Returns the random name, and creates it if there is none. */
	public static function random(): string {
		return self::read() ?? self::$unstored ?? self::store( self::find() ?? bin2hex( random_bytes( 16 ) ) );
	}

	public static function path(): string {
		return WP_CONTENT_DIR . self::FILE;
	}

	/** Reads the text of the file and does not include it: opcache could return an old name. */
	private static function read(): ?string {
		$text = is_file( self::path() ) ? (string) @file_get_contents( self::path() ) : '';
		return preg_match( '~^exit; // ([0-9a-f]{32})$~m', $text, $match ) ? $match[1] : null;
	}

	/** If the file was deleted, finds the last used folder: it may contain the journal of an update. */
	private static function find(): ?string {
		$times = [];
		foreach ( preg_grep( '/^steward-[0-9a-f]{32}$/D', @scandir( WP_CONTENT_DIR ) ?: [] ) as $folder ) {
			$times[ substr( $folder, strlen( 'steward-' ) ) ] = (int) @filemtime( WP_CONTENT_DIR . '/' . $folder );
		}
		arsort( $times );
		$name = key( $times );
		return null === $name ? null : (string) $name;
	}

	/** Stores the name, unless another request has stored one. Returns the stored name. */
	private static function store( string $name ): string {
		$content    = "<?php\n// Steward: the name of the state folder. Do not delete this file.\nexit; // $name\n";
		$temporary  = WP_CONTENT_DIR . '/steward-state-' . bin2hex( random_bytes( 8 ) ) . '.php';
		$is_written = strlen( $content ) === @file_put_contents( $temporary, $content );
		// A link appears with its content, and never replaces the name of another request.
		$is_linked = $is_written && function_exists( 'link' ) && @link( $temporary, self::path() );
		if ( $is_written && ! $is_linked && null === self::read() ) {
			@rename( $temporary, self::path() );
		}
		@unlink( $temporary );
		clearstatcache( true, self::path() );
		self::$unstored = self::read() ?? $name;
		return self::$unstored;
	}
}
