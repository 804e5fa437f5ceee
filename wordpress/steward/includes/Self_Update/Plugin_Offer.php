<?php
/**
 * @package Steward
 */

namespace Steward\Self_Update;

use Steward\Connection;
use Steward\Panel\Capabilities;
use Steward\Panel\License;
use Steward\Panel\Panel_Client;
use Steward\Updating\Pending_Updates;
use Steward\Watchdog\Call_Signature;
use stdClass;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Offers the version of this plugin that the panel ships, in the update check of WordPress. */
final class Plugin_Offer {

	/**
	 * Site transient with the last offer. Used while the panel is unreachable, for the plugin details, and on multisite by
	 * all sites except the main site, because only the main site asks the panel.
	 */
	const TRANSIENT = 'steward_plugin_offer';

	/** The host of the header Update URI. wordpress.org offers no update for a plugin with this header. */
	private const UPDATE_HOST = 'steward.invalid';

	private const LIFETIME_SECONDS = DAY_IN_SECONDS;
	/** An unreachable panel must not delay every page of the admin area that checks for updates. */
	private const RETRY_SECONDS = 5 * MINUTE_IN_SECONDS;

	public static function register(): void {
		add_filter( 'update_plugins_' . self::UPDATE_HOST, [ self::class, 'provide_offer' ], 10, 3 );
		add_filter( 'plugins_api', [ self::class, 'describe' ], 10, 3 );
	}

	/**
	 * @param array|false $update Offer of other code.
	 * @param array       $data   Headers of the plugin.
	 * @param string      $plugin Plugin file.
	 * @return array|false
	 */
	public static function provide_offer( $update, $data, $plugin ) {
		if ( Own_Plugin::file() !== $plugin ) {
			return $update;
		}
		$last = get_site_transient( self::TRANSIENT );
		$last = is_array( $last ) ? $last : [];
		// Only the main site stores the connection.
		if ( is_main_site() && time() >= (int) ( $last['retry_at'] ?? 0 ) ) {
			$offer = self::fetch();
			if ( ! is_wp_error( $offer ) ) {
				return $offer;
			}
			$is_unavailable = Panel_Client::UNAVAILABLE === $offer->get_error_code();
			$last           = ( $is_unavailable ? $last : [] ) + [ 'offer' => false ];
			set_site_transient( self::TRANSIENT, [ 'retry_at' => time() + self::RETRY_SECONDS ] + $last, self::LIFETIME_SECONDS );
		}
		return is_array( $last['offer'] ?? null ) ? $last['offer'] : false;
	}

	/**
	 * Asks the panel and verifies the signature of its offer.
	 *
	 * @return array|WP_Error Offer in the format of the filter update_plugins_{host}.
	 */
	public static function fetch() {
		if ( ! Connection::is_connected() || ! Call_Signature::is_required() || ! Capabilities::panel_supports( Capabilities::SELF_UPDATE ) ) {
			return new WP_Error( 'steward_no_offer', __( 'The panel of this site does not offer updates of the Steward plugin.', 'steward' ) );
		}
		$response = License::send( 'plugin/offer', [], [ 'offer' ] );
		if ( is_wp_error( $response ) ) {
			return $response;
		}
		$signed = Signed_Version::read( $response['offer'] );
		if ( is_wp_error( $signed ) ) {
			return $signed;
		}
		$fields = array_map(
			static function ( $text ): string {
				return is_string( $text ) ? sanitize_text_field( $text ) : '';
			},
			$response['offer']
		);
		$offer = [
			'slug'         => Own_Plugin::SLUG,
			'version'      => $signed->version,
			'new_version'  => $signed->version,
			'url'          => Connection::panel_url(),
			'package'      => self::package_url( $signed->version ),
			'requires'     => $fields['requires'] ?? '',
			'requires_php' => $fields['requires_php'] ?? '',
			'tested'       => $fields['tested'] ?? '',
			'icons'        => [],
			'banners'      => [],
		];
		set_site_transient( self::TRANSIENT, [ 'offer' => $offer ], self::LIFETIME_SECONDS );
		return $offer;
	}

	/** Adds an offer to the update list of WordPress, as its update check does. */
	public static function store( array $offer ): void {
		$list = get_site_transient( Pending_Updates::PLUGINS );
		$list = is_object( $list ) ? $list : new stdClass();
		$file = Own_Plugin::file();

		$list->response          = (array) ( $list->response ?? [] );
		$list->response[ $file ] = (object) ( [ 'id' => 'https://' . self::UPDATE_HOST . '/wordpress-plugin', 'plugin' => $file ] + $offer );
		set_site_transient( Pending_Updates::PLUGINS, $list );
	}

	/** Removes the offer from the update list of WordPress after it was installed. */
	public static function remove(): void {
		$list = get_site_transient( Pending_Updates::PLUGINS );
		if ( isset( $list->response[ Own_Plugin::file() ] ) ) {
			unset( $list->response[ Own_Plugin::file() ] );
			set_site_transient( Pending_Updates::PLUGINS, $list );
		}
	}

	/**
	 * Returns the address of a package, which identifies its version. A download also needs the parameter "link", which the
	 * panel issues for each download (see Own_Package).
	 */
	public static function package_url( string $version ): string {
		return Connection::panel_url() . '/api/v1/plugin/package/' . Own_Plugin::SLUG . '-' . rawurlencode( $version ) . '.zip';
	}

	/** Returns the version of a package address of the connected panel, or null for other addresses. */
	public static function version_of_package( string $url ): ?string {
		$pattern = '~^' . preg_quote( Connection::panel_url(), '~' ) . '/api/v1/plugin/package/' . Own_Plugin::SLUG . '-([\w.%+-]+)\.zip$~D';
		return '' !== Connection::panel_url() && preg_match( $pattern, $url, $match ) ? rawurldecode( $match[1] ) : null;
	}

	/**
	 * Returns the details of this plugin, so that WordPress does not show a plugin of wordpress.org with the same slug.
	 *
	 * @param mixed  $result Result of other code.
	 * @param string $action Action of the API.
	 * @param object $args   Arguments of the request.
	 */
	public static function describe( $result, $action, $args ) {
		$last = get_site_transient( self::TRANSIENT );
		if ( 'plugin_information' !== $action || Own_Plugin::SLUG !== ( $args->slug ?? '' ) || ! is_array( $last['offer'] ?? null ) ) {
			return $result;
		}
		$offer = $last['offer'];
		return (object) [
			'name'          => 'Steward',
			'slug'          => Own_Plugin::SLUG,
			'version'       => $offer['version'],
			'requires'      => $offer['requires'],
			'requires_php'  => $offer['requires_php'],
			'tested'        => $offer['tested'],
			'homepage'      => $offer['url'],
			'download_link' => '',
			'sections'      => [
				/* translators: %s: Address of the panel. */
				'description' => '<p>' . esc_html( sprintf( __( 'Connects this site to a Steward panel. The update comes from %s, and its signature is verified.', 'steward' ), $offer['url'] ) ) . '</p>',
			],
		];
	}
}
