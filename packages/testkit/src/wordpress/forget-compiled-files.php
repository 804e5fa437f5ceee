<?php
// Called after a test has changed files from outside: opcache looks again only after seconds. What has
// not changed stays compiled, which is most of WordPress.
clearstatcache( true );
foreach ( opcache_get_status( true )['scripts'] ?? array() as $file => $script ) {
	$is_of_test = false !== strpos( $file, '/wp-content/' );
	if ( $is_of_test || ! is_file( $file ) || filemtime( $file ) !== ( $script['timestamp'] ?? 0 ) ) {
		opcache_invalidate( $file, true );
	}
}
