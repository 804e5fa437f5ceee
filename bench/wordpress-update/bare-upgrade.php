<?php
// Runs only WordPress's own upgrader for the plugins in the query.
require __DIR__ . '/wp-load.php';
foreach ( array( 'file', 'misc', 'plugin', 'update', 'class-wp-upgrader' ) as $name ) {
	require_once ABSPATH . "wp-admin/includes/$name.php";
}
$upgrader = new Plugin_Upgrader( new Automatic_Upgrader_Skin() );
echo wp_json_encode( array_map( 'is_array', $upgrader->bulk_upgrade( explode( ',', $_GET['plugins'] ) ) ) );
