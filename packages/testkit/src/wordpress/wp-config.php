<?php
// Read the constants at each request: opcache would delay changes to constants in this file.
( static function () {
	$constants = json_decode( file_get_contents( '{{constants file}}' ), true );
	foreach ( $constants as $name => $value ) {
		define( $name, $value );
	}
} )();

$table_prefix = 'wp_';

defined( 'ABSPATH' ) || define( 'ABSPATH', __DIR__ . '/' );
require_once ABSPATH . 'wp-settings.php';
