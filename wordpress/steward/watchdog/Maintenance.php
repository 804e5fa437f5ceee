<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** Maintenance mode of WordPress while an update replaces and checks files. It also ends if the update is killed. */
final class Maintenance {

	/** Visitors see the maintenance page at most this long while the site waits for the verdict of the panel. */
	private const MAX_MAINTENANCE_SECONDS = 60;

	public static function begin(): bool {
		$load      = var_export( __DIR__ . '/load.php', true );
		// The guard exists during an update of Steward itself, when load.php may be broken.
		$guard     = var_export( WPMU_PLUGIN_DIR . '/steward-guard.php', true );
		$temporary = self::file() . '-steward';
		$content   = "<?php\n// Written by Steward while it replaces and checks files.\n"
			. '$upgrading = ' . time() . ";\n"
			. "is_file( $guard ) && require_once $guard;\n"
			. "if ( is_file( $load ) ) {\n\trequire_once $load;\n"
			. "\tclass_exists( 'Steward\\Watchdog\\Maintenance', false ) && Steward\\Watchdog\\Maintenance::admits() && " . '$upgrading = 0;' . "\n}\n";
		// Write atomically: a partial file would cause a fatal error in every request.
		if ( strlen( $content ) !== @file_put_contents( $temporary, $content ) || ! @rename( $temporary, self::file() ) ) {
			@unlink( $temporary );
			return false;
		}
		Files::invalidate_opcache_file( self::file() );
		return true;
	}

	public static function end(): void {
		if ( is_file( self::file() ) && false !== strpos( (string) @file_get_contents( self::file() ), 'Steward' ) ) {
			@unlink( self::file() );
			Files::invalidate_opcache_file( self::file() );
		}
	}

	/**
	 * Admits health checks and verdicts of the panel. Admits all requests if the update was killed or no verdict arrives in
	 * time. The .maintenance file calls this method by name.
	 */
	public static function admits(): bool {
		Undo::restore_interrupted();
		if ( null !== Journal::awaited_call() && Journal::seconds_waiting() > self::MAX_MAINTENANCE_SECONDS ) {
			self::end();
			return true;
		}
		return null === Journal::read() || null !== Ticket::from_request() || Verdict_Endpoint::is_requested();
	}

	private static function file(): string {
		return ABSPATH . '.maintenance';
	}
}
