<?php
// Read anew at each request: what is compiled into this file would be held back by opcache.
( static function () {
	$constants = json_decode( file_get_contents( '{{constants file}}' ), true );
	foreach ( $constants as $name => $value ) {
		define( $name, $value );
	}
} )();

$table_prefix = 'wp_';

defined( 'ABSPATH' ) || define( 'ABSPATH', __DIR__ . '/' );
require_once ABSPATH . 'wp-settings.php';
