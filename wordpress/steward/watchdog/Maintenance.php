<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** Keeps visitors out while files are swapped and judged. It ends when the update dies. */
final class Maintenance {

	/** Visitors do not wait longer for the panel to look. */
	private const LONGEST_AWAITED_SECONDS = 60;

	public static function begin(): bool {
		$load      = var_export( __DIR__ . '/load.php', true );
		$temporary = self::file() . '-steward';
		$content   = "<?php\n// Written by Steward while it swaps files and looks whether they work.\n"
			. '$upgrading = ' . time() . ";\n"
			. "if ( is_file( $load ) ) {\n\trequire_once $load;\n"
			. "\tclass_exists( 'Steward\\Watchdog\\Maintenance', false ) && Steward\\Watchdog\\Maintenance::admits() && " . '$upgrading = 0;' . "\n}\n";
		// Half a file would be a fatal error in every request.
		if ( strlen( $content ) !== @file_put_contents( $temporary, $content ) || ! @rename( $temporary, self::file() ) ) {
			@unlink( $temporary );
			return false;
		}
		Files::forget_compiled_file( self::file() );
		return true;
	}

	public static function end(): void {
		if ( is_file( self::file() ) && false !== strpos( (string) @file_get_contents( self::file() ), 'Steward' ) ) {
			@unlink( self::file() );
			Files::forget_compiled_file( self::file() );
		}
	}

	/** Admits looks and orders of the panel; all requests once the update has died, or was not judged in time. */
	public static function admits(): bool {
		Undo::what_died();
		if ( null !== Journal::awaiting() && Journal::seconds_awaited() > self::LONGEST_AWAITED_SECONDS ) {
			self::end();
			return true;
		}
		return null === Journal::read() || null !== Ticket::of_request() || Order::is_asked();
	}

	private static function file(): string {
		return ABSPATH . '.maintenance';
	}
}
