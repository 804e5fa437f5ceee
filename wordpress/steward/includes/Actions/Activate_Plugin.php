<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Updating\Health_Check;
use Steward\Updating\Installed_Plugins;
use Throwable;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Switches a plugin on. One that complains, prints something or breaks the site is off again afterwards. */
final class Activate_Plugin implements Action {

	public function changes_files(): bool {
		return false;
	}

	public function run( string $plugin ) {
		if ( Installed_Plugins::is_active( $plugin ) ) {
			return true;
		}
		$missing = Installed_Plugins::missing_requirements( $plugin );
		if ( [] !== $missing ) {
			/* translators: %s: Comma-separated names of plugins. */
			return new WP_Error( 'steward_requires', sprintf( __( 'It requires plugins that are not active: %s.', 'steward' ), implode( ', ', $missing ) ) );
		}
		$health = new Health_Check();
		$health->remember();
		$result = $this->activate( $plugin );
		$fault  = is_wp_error( $result ) ? null : $health->fault();
		if ( null !== $fault ) {
			/* translators: %s: Error message. */
			$result = new WP_Error( 'steward_breaks', sprintf( __( 'It breaks the site: %s', 'steward' ), $fault ) );
		}
		if ( is_wp_error( $result ) ) {
			deactivate_plugins( [ $plugin ], true );
			return $result;
		}
		return Installed_Plugins::is_active( $plugin ) ? true : new WP_Error( 'steward_inactive', __( 'The plugin is still inactive.', 'steward' ) );
	}

	/** @return null|WP_Error WordPress reports printed output as an error, though the plugin is active by then. */
	private function activate( string $plugin ) {
		$level = ob_get_level();
		try {
			return activate_plugin( $plugin );
		} catch ( Throwable $thrown ) {
			return new WP_Error( 'steward_thrown', $thrown->getMessage() );
		} finally {
			// WordPress leaves its buffer open when the plugin throws.
			while ( ob_get_level() > $level ) {
				ob_end_flush();
			}
		}
	}
}
