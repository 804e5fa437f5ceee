<?php
/**
 * @package Steward
 */

namespace Steward;

use Steward\Admin\License_Notice;
use Steward\Admin\Settings_Page;
use Steward\Login\Login_Receiver;
use Steward\Panel\Check_In;
use Steward\Panel\Error_Report;
use Steward\Rest\Remote_Routes;
use Steward\Rest\Rest_Address;
use Steward\Self_Update\Own_Package;
use Steward\Self_Update\Plugin_Offer;
use Steward\Self_Update\Update_Guard;
use Steward\Updating\Saved_Versions;
use Steward\Updating\Watchdog_File;

defined( 'ABSPATH' ) || exit;

/** Starts the components of the plugin. Each component registers its own hooks. */
final class Plugin {

	public static function start(): void {
		register_activation_hook( PLUGIN_FILE, [ Watchdog_File::class, 'install' ] );
		register_deactivation_hook( PLUGIN_FILE, [ self::class, 'stop' ] );
		add_action( 'init', [ self::class, 'load_translations' ] );

		Plugin_Offer::register();
		Own_Package::register();

		// On multisite all sites share plugins, themes and core, so the panel manages only the main site.
		if ( ! is_main_site() ) {
			return;
		}
		( new Rest_Address() )->register();
		( new Remote_Routes() )->register();
		( new Check_In() )->register();
		Error_Report::register();
		Saved_Versions::register();
		if ( is_admin() ) {
			( new Settings_Page() )->register();
			Login_Receiver::register();
			( new License_Notice() )->register();
		}
	}

	/** Runs on deactivation. Does not disconnect the site: it keeps its license seat. */
	public static function stop(): void {
		if ( is_main_site() ) {
			Check_In::unschedule();
			Error_Report::unschedule();
			Update_Guard::end();
			Watchdog_File::remove();
		}
	}

	public static function load_translations(): void {
		load_plugin_textdomain( 'steward', false, dirname( plugin_basename( PLUGIN_FILE ) ) . '/languages' );
	}
}
