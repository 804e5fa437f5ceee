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

	/** @param string $plugin_folder Folder of the Steward plugin, relative to the folder of all plugins. */
	public static function begin( string $plugin_folder ): bool {
		$temporary = self::file() . '-steward';
		$content   = self::content( $plugin_folder );
		// Write atomically: a partial file would cause a fatal error in every request.
		if ( strlen( $content ) !== @file_put_contents( $temporary, $content ) || ! @rename( $temporary, self::file() ) ) {
			@unlink( $temporary );
			return false;
		}
		Files::invalidate_opcache_file( self::file() );
		return true;
	}

	/**
	 * Some web servers deliver the file as text, so it contains no path and no folder name of this site. WordPress loads it
	 * before it sets the constants of the plugin folders, unless wp-config.php has set them.
	 */
	private static function content( string $plugin_folder ): string {
		// The guard exists during an update of Steward itself, when load.php may be broken.
		$files = [
			"( defined( 'WPMU_PLUGIN_DIR' ) ? WPMU_PLUGIN_DIR : WP_CONTENT_DIR . '/mu-plugins' ) . '/steward-guard.php'",
			"( defined( 'WP_PLUGIN_DIR' ) ? WP_PLUGIN_DIR : WP_CONTENT_DIR . '/plugins' ) . " . var_export( "/$plugin_folder/watchdog/load.php", true ),
		];
		return "<?php\n// Written by Steward while it replaces and checks files.\n"
			. '$upgrading = ' . time() . ";\n"
			. "foreach ( [\n\t" . implode( ",\n\t", $files ) . ",\n] as \$steward_file ) {\n"
			. "\tis_file( \$steward_file ) && require_once \$steward_file;\n}\n"
			. "class_exists( 'Steward\\Watchdog\\Maintenance', false ) && Steward\\Watchdog\\Maintenance::admits() && " . '$upgrading = 0;' . "\n";
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
