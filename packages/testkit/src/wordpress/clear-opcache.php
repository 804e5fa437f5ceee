<?php
// Called after a test changes files from outside, because opcache checks for changes only every few seconds.
// Unchanged files, which are most of WordPress, stay compiled.
clearstatcache( true );
foreach ( opcache_get_status( true )['scripts'] ?? array() as $file => $script ) {
	$is_of_test = false !== strpos( $file, '/wp-content/' );
	if ( $is_of_test || ! is_file( $file ) || filemtime( $file ) !== ( $script['timestamp'] ?? 0 ) ) {
		opcache_invalidate( $file, true );
	}
}
