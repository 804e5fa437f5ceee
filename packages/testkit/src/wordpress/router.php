<?php
// What a web server's rewrite rules do for WordPress. TEST_BED_PATH is where WordPress is below the
// document root, TEST_BED_NETWORK says that it is a network of sites in subdirectories.

$path = rawurldecode( strtok( $_SERVER['REQUEST_URI'], '?' ) );
$file = $_SERVER['DOCUMENT_ROOT'] . $path;

if ( '/-/forget-compiled-files' === $path ) {
	function_exists( 'opcache_reset' ) && opcache_reset();
	return true;
}

if ( is_dir( $file ) && is_file( "$file/index.php" ) && ! str_ends_with( $path, '/' ) ) {
	header( "Location: $path/", true, 301 );
	return true;
}

if ( is_file( $file ) || is_file( "$file/index.php" ) ) {
	return false;
}

$script     = getenv( 'TEST_BED_PATH' ) . '/index.php';
$of_subsite = '#^' . getenv( 'TEST_BED_PATH' ) . '/[\w-]+(/wp-(?:content|admin|includes)/.*|/[^/]+\.php)$#';
if ( getenv( 'TEST_BED_NETWORK' ) && preg_match( $of_subsite, $path, $match ) ) {
	$shared = getenv( 'TEST_BED_PATH' ) . $match[1] . ( str_ends_with( $match[1], '/' ) ? 'index.php' : '' );
	if ( ! str_ends_with( $shared, '.php' ) ) {
		header( "Location: $shared", true, 302 );
		return true;
	}
	if ( is_file( $_SERVER['DOCUMENT_ROOT'] . $shared ) ) {
		$script = $shared;
	}
}

$_SERVER['SCRIPT_NAME']     = $script;
$_SERVER['PHP_SELF']        = $script;
$_SERVER['SCRIPT_FILENAME'] = $_SERVER['DOCUMENT_ROOT'] . $script;
unset( $_SERVER['PATH_INFO'], $path, $file, $script, $of_subsite, $match, $shared );

chdir( dirname( $_SERVER['SCRIPT_FILENAME'] ) );
require $_SERVER['SCRIPT_FILENAME'];
