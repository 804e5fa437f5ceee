<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward_Watchdog;

defined( 'ABSPATH' ) || exit;

/** Where a running update keeps its lock, its marker and the version it replaces. Nobody may read it from outside. */
final class State_Folder {

	private const CONTENTS = [
		'index.php' => "<?php\n// Nothing to see here.\n",
		'.htaccess' => "Require all denied\n",
	];

	public static function ensure(): bool {
		$folder = Steward_Watchdog::folder();
		if ( ! is_dir( $folder ) && ! wp_mkdir_p( $folder ) ) {
			return false;
		}
		foreach ( self::CONTENTS as $name => $content ) {
			if ( ! is_file( $folder . '/' . $name ) ) {
				@file_put_contents( $folder . '/' . $name, $content );
			}
		}
		return is_writable( $folder );
	}

	/** What is left of updates that died, once nothing of it can be needed any more. */
	public static function clean(): void {
		foreach ( Steward_Watchdog::names_in( Steward_Watchdog::folder() ) as $name ) {
			if ( preg_match( '/^(previous|broken)-/', $name ) ) {
				Steward_Watchdog::delete( Steward_Watchdog::folder() . '/' . $name );
			}
		}
	}
}
