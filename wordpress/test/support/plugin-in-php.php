<?php
/**
 * Reads base64 inputs as JSON from standard input and prints the plugin's result for each as JSON.
 *
 * Runs without WordPress. The optional first argument is a `wp-includes` folder with an IDNA encoder.
 *
 * @package Steward
 */

define( 'ABSPATH', __DIR__ );
error_reporting( E_ALL );
set_error_handler(
	static function ( int $level, string $message, string $file, int $line ): bool {
		throw new ErrorException( $message, 0, $level, $file, $line );
	}
);

foreach ( [ 'Site_Url', 'Site_Host', 'Ipv6_Address', 'License_Key' ] as $class_name ) {
	require dirname( __DIR__, 2 ) . "/steward/includes/$class_name.php";
}

if ( isset( $argv[1] ) ) {
	$requests = $argv[1] . '/Requests';
	if ( is_file( "$requests/src/Autoload.php" ) ) {
		require "$requests/src/Autoload.php";
		WpOrg\Requests\Autoload::register();
	} else {
		require "$requests/Exception.php";
		require "$requests/IDNAEncoder.php";
	}
}

$functions = [
	'canonical' => [ 'Steward\Site_Url', 'canonical' ],
	'normalize' => [ 'Steward\License_Key', 'normalize' ],
];
$request   = json_decode( stream_get_contents( STDIN ), true );
$inputs    = array_map( 'base64_decode', $request['inputs'] );
echo json_encode( array_map( $functions[ $request['function'] ], $inputs ) );
