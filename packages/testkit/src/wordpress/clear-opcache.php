<?php
// Called after a test changes files from outside, because opcache checks for changes only every few seconds.
// Unchanged files outside of wp-content stay compiled. These are most files of WordPress. So do the unchanged files of the
// folder in the parameter `keep`.
clearstatcache( true );
$keep = $_GET['keep'] ?? null;
foreach ( opcache_get_status( true )['scripts'] ?? array() as $file => $script ) {
	$is_kept      = null !== $keep && false !== strpos( $file, $keep );
	$is_site_code = ! $is_kept && false !== strpos( $file, '/wp-content/' );
	if ( $is_site_code || ! is_file( $file ) || filemtime( $file ) !== ( $script['timestamp'] ?? 0 ) ) {
		opcache_invalidate( $file, true );
	}
}
