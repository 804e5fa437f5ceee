<?php
/**
 * Plugin Name: Test bed
 * Description: Blocks network access and serves update checks from bed.json.
 */

namespace Steward\TestBed;

/** Reads the file at each call because a test may change it at any time. */
function settings(): array {
	return json_decode( file_get_contents( TEST_BED_FILE ), true );
}

/** Lists the offers for installed plugins or themes as api.wordpress.org does: newer versions in `response`. */
function updates_for( array $installed, array $offers, callable $describe ): array {
	$updates = array(
		'response'  => array(),
		'no_update' => array(),
	);
	foreach ( array_intersect_key( $offers, $installed ) as $name => $offer ) {
		$is_newer = version_compare( $offer['version'], $installed[ $name ]['Version'], '>' );

		$updates[ $is_newer ? 'response' : 'no_update' ][ $name ] = $describe( $name, $offer );
	}
	return $updates;
}

function plugin_update( string $file, array $offer ): array {
	$slug = str_contains( $file, '/' ) ? dirname( $file ) : basename( $file, '.php' );
	return ( $offer['requirements'] ?? array() ) + array(
		'id'           => "w.org/plugins/$slug",
		'slug'         => $slug,
		'plugin'       => $file,
		'new_version'  => $offer['version'],
		'url'          => "https://wordpress.org/plugins/$slug/",
		'package'      => $offer['package'],
		'icons'        => array(),
		'banners'      => array(),
		'banners_rtl'  => array(),
		'requires'     => '6.0',
		'tested'       => '6.1',
		'requires_php' => '7.4',
	);
}

function theme_update( string $slug, array $offer ): array {
	return ( $offer['requirements'] ?? array() ) + array(
		'theme'        => $slug,
		'new_version'  => $offer['version'],
		'url'          => "https://wordpress.org/themes/$slug/",
		'package'      => $offer['package'],
		'requires'     => '6.0',
		'requires_php' => '7.4',
	);
}

function core_update( ?array $offer ): array {
	$current  = installed_core_version();
	$is_newer = $offer && version_compare( $offer['version'], $current, '>' );
	$version  = $is_newer ? $offer['version'] : $current;
	$package  = $is_newer ? $offer['package'] : '';
	return array(
		'response'        => $is_newer ? 'upgrade' : 'latest',
		'download'        => $package,
		'locale'          => 'en_US',
		'packages'        => array(
			'full'        => $package,
			'no_content'  => $package,
			'new_bundled' => '',
			'partial'     => '',
			'rollback'    => '',
		),
		'current'         => $version,
		'version'         => $version,
		'php_version'     => '5.6.20',
		'mysql_version'   => '5.0',
		'new_bundled'     => '6.1',
		'partial_version' => '',
	);
}

/** Reads version.php as WordPress's own check does, because a plugin may have changed the global. */
function installed_core_version(): string {
	require ABSPATH . WPINC . '/version.php';
	return $wp_version;
}

/** Offers the language packs that are newer than the installed ones. */
function translations_for( string $type, array $offers, $body ): array {
	$installed = json_decode( $body['translations'] ?? '[]', true );
	$pending   = array();
	foreach ( $offers['translations'] ?? array() as $offer ) {
		$date = $installed[ $offer['slug'] ][ $offer['language'] ]['PO-Revision-Date'] ?? '';
		if ( $type === $offer['type'] && strtotime( $date ) < strtotime( $offer['updated'] . '+0000' ) ) {
			$pending[] = $offer + array(
				'version'    => '1.0',
				'autoupdate' => true,
			);
		}
	}
	return $pending;
}

/** Describes a plugin or theme of the public directory, as its information API does. */
function directory_response( string $type, string $query ): array {
	parse_str( $query, $parameters );
	$slug   = $parameters['request']['slug'] ?? '';
	$listed = settings()['directory'][ $type ][ $slug ] ?? null;
	return $listed ? array( 'slug' => $slug ) + $listed : array( 'error' => 'Not found.' );
}

function wordpress_org_response( string $url, $body ): array {
	$offers = settings()['offers'];
	switch ( wp_parse_url( $url, PHP_URL_PATH ) ) {
		case '/plugins/info/1.2/':
			return directory_response( 'plugins', (string) wp_parse_url( $url, PHP_URL_QUERY ) );
		case '/themes/info/1.2/':
			return directory_response( 'themes', (string) wp_parse_url( $url, PHP_URL_QUERY ) );
		case '/plugins/update-check/1.1/':
			$sent    = json_decode( $body['plugins'], true );
			$updates = updates_for( $sent['plugins'], $offers['plugins'], __NAMESPACE__ . '\plugin_update' );
			return array(
				'plugins'      => $updates['response'],
				'translations' => translations_for( 'plugin', $offers, $body ),
				'no_update'    => $updates['no_update'],
			);
		case '/themes/update-check/1.1/':
			$sent    = json_decode( $body['themes'], true );
			$updates = updates_for( $sent['themes'], $offers['themes'], __NAMESPACE__ . '\theme_update' );
			return array(
				'themes'       => $updates['response'],
				'no_update'    => $updates['no_update'],
				'translations' => translations_for( 'theme', $offers, $body ),
			);
		case '/core/version-check/1.7/':
			return array(
				'offers'       => array( core_update( $offers['core'] ) ),
				'translations' => translations_for( 'core', $offers, $body ),
			);
		case '/core/serve-happy/1.0/':
			return array(
				'recommended_version' => '7.4',
				'minimum_version'     => '5.6.20',
				'is_supported'        => true,
				'is_secure'           => true,
				'is_acceptable'       => true,
			);
		default:
			return array();
	}
}

add_filter(
	'pre_http_request',
	static function ( $response, $request, $url ) {
		$host = wp_parse_url( $url, PHP_URL_HOST );
		if ( '127.0.0.1' === $host || 'localhost' === $host || str_ends_with( (string) $host, '.localhost' ) ) {
			return $response;
		}
		if ( 'api.wordpress.org' !== $host ) {
			return new \WP_Error( 'http_request_not_executed', "The test bed blocks network access: $url" );
		}
		$body = wordpress_org_response( $url, $request['body'] );
		return array(
			'headers'  => array(),
			'body'     => wp_json_encode( $body ),
			'response' => array(
				'code'    => 200,
				'message' => 'OK',
			),
			'cookies'  => array(),
			'filename' => null,
		);
	},
	10,
	3
);

// The package server listens on loopback at any free port.
add_filter( 'http_request_host_is_external', '__return_true' );
add_filter(
	'http_allowed_safe_ports',
	static function ( $ports, $host, $url ) {
		return array_merge( $ports, array( wp_parse_url( $url, PHP_URL_PORT ) ) );
	},
	10,
	3
);

add_filter(
	'file_mod_allowed',
	static function ( $is_allowed ) {
		return $is_allowed && ! settings()['fileChangesDisabled'];
	}
);

add_filter(
	'upgrader_pre_download',
	static function ( $reply ) {
		usleep( 1000 * settings()['updateMs'] );
		return $reply;
	}
);

// The packages of the public directory are on the package server.
add_filter(
	'steward_download_hosts',
	static function ( array $hosts ): array {
		return array_merge( $hosts, array( '127.0.0.1' ) );
	}
);

add_filter( 'pre_wp_mail', '__return_true' );

add_filter(
	'steward_capabilities',
	static function ( array $capabilities ): array {
		return settings()['siteKeys'] ? $capabilities : array_values( array_diff( $capabilities, array( 'site_key', 'signed_calls' ) ) );
	}
);

/**
 * Registers no blocks and prints no styles for them. They take a third of the time of a request, and neither Steward nor
 * the themes of the test bed use blocks.
 */
function remove_blocks(): void {
	foreach ( $GLOBALS['wp_filter']['init']->callbacks as $priority => $callbacks ) {
		foreach ( array_column( $callbacks, 'function' ) as $function ) {
			if ( is_string( $function ) && preg_match( '/^_?register_(core_block_types|block_core_|core_block_patterns|theme_block_patterns)/', $function ) ) {
				remove_action( 'init', $function, $priority );
			}
		}
	}
	remove_action( 'wp_enqueue_scripts', 'wp_enqueue_global_styles' );
	remove_action( 'wp_footer', 'wp_enqueue_global_styles', 1 );
	remove_action( 'wp_body_open', 'wp_global_styles_render_svg_filters' );
}

remove_blocks();
