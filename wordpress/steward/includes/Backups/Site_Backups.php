<?php
/**
 * @package Steward
 */

namespace Steward\Backups;

defined( 'ABSPATH' ) || exit;

/** Reads what the active backup plugins stored on this site. Calls none of their code and changes nothing. */
final class Site_Backups {

	/** The main files of each plugin, and the method that reads its backups. */
	private const PLUGINS = [
		'updraftplus'             => [ [ 'updraftplus/updraftplus.php' ], 'read_updraftplus' ],
		'backwpup'                => [ [ 'backwpup/backwpup.php', 'backwpup-pro/backwpup.php' ], 'read_backwpup' ],
		'duplicator'              => [ [ 'duplicator/duplicator.php', 'duplicator-pro/duplicator-pro.php' ], 'read_duplicator' ],
		'wpvivid'                 => [ [ 'wpvivid-backuprestore/wpvivid-backuprestore.php', 'wpvivid-backup-pro/wpvivid-backup-pro.php' ], 'read_wpvivid' ],
		// Its backups are on WordPress.com, and it stores no time of them on the site.
		'jetpack'                 => [ [ 'jetpack-backup/jetpack-backup.php', 'vaultpress/vaultpress.php' ], 'read_nothing' ],
		'all-in-one-wp-migration' => [ [ 'all-in-one-wp-migration/all-in-one-wp-migration.php' ], 'read_all_in_one' ],
	];

	private const MAX_FOLDER_ENTRIES = 2000;

	private const MAX_READ_FILES = 20;

	private const LOG_HEAD_BYTES = 8192;

	/** @return array<string, mixed> See `BackupStateReport` in packages/contract. */
	public static function collect(): array {
		$entries = [];
		foreach ( self::PLUGINS as $plugin => list( $files, $method ) ) {
			if ( self::is_any_active( $files ) ) {
				$entries = array_merge( $entries, Backup_Report::of_plugin( $plugin, self::read( $method ) ) );
			}
		}
		return [ 'backups' => $entries ];
	}

	/** What another plugin stored must never prevent a report. */
	private static function read( string $method ): array {
		try {
			return self::$method( time() );
		} catch ( \Throwable $error ) {
			return [];
		}
	}

	private static function is_any_active( array $files ): bool {
		$active = is_multisite() ? array_keys( (array) get_site_option( 'active_sitewide_plugins', [] ) ) : [];
		return [] !== array_intersect( $files, array_merge( $active, (array) get_option( 'active_plugins', [] ) ) );
	}

	private static function read_updraftplus( int $now ): array {
		// The network edition stores its options for the network.
		$option = get_option( UpdraftPlus_Backup::OPTION );
		$shared = is_multisite() ? get_site_option( 'updraftplus_options' ) : [];
		return array_merge( UpdraftPlus_Backup::read( $option, $now ), UpdraftPlus_Backup::read( is_array( $shared ) ? ( $shared[ UpdraftPlus_Backup::OPTION ] ?? null ) : null, $now ) );
	}

	private static function read_wpvivid( int $now ): array {
		return WPvivid_Backup::read( get_option( WPvivid_Backup::OPTION ), $now );
	}

	private static function read_nothing(): array {
		return [];
	}

	private static function read_duplicator( int $now ): array {
		global $wpdb;
		$backups     = [];
		$were_hidden = $wpdb->suppress_errors();
		foreach ( self::duplicator_columns() as $table => $columns ) {
			if ( null !== $wpdb->get_var( $wpdb->prepare( 'SHOW TABLES LIKE %s', $wpdb->esc_like( $table ) ) ) ) {
				$rows    = $wpdb->get_results( "SELECT status, created, $columns FROM `$table` WHERE status = 100 ORDER BY id DESC LIMIT " . self::MAX_READ_FILES, ARRAY_A );
				$backups = array_merge( $backups, Duplicator_Backup::read( $rows, $now ) );
			}
		}
		$wpdb->suppress_errors( $were_hidden );
		return $backups;
	}

	/** @return array<string, string> The column with the content of a backup, for each table. */
	private static function duplicator_columns(): array {
		global $wpdb;
		$columns = [ $wpdb->base_prefix . Duplicator_Backup::TABLE => 'flags' ];
		foreach ( Duplicator_Backup::OLD_TABLES as $table ) {
			// Its object is serialized by PHP or as JSON.
			$columns[ $wpdb->base_prefix . $table ] = "package REGEXP 'ExportOnlyDB\"(;[bi]:1;|:(1|true)[,}])' AS is_database_only";
		}
		return $columns;
	}

	private static function read_backwpup( int $now ): array {
		$folder = get_site_option( BackWPup_Backup::FOLDER_OPTION );
		if ( ! is_string( $folder ) || '' === $folder ) {
			return [];
		}
		$folder  = path_is_absolute( $folder ) ? $folder : WP_CONTENT_DIR . '/' . $folder;
		$backups = [];
		foreach ( self::newest_files( $folder, BackWPup_Backup::LOG_NAME ) as $path => $modified_at ) {
			$is_packed = '.gz' === substr( $path, -3 );
			if ( ! $is_packed || extension_loaded( 'zlib' ) ) {
				$backups[] = BackWPup_Backup::read_log( self::read_head( ( $is_packed ? 'compress.zlib://' : '' ) . $path, self::LOG_HEAD_BYTES ), $now );
			}
		}
		return array_filter( $backups );
	}

	private static function read_all_in_one( int $now ): array {
		$folder  = get_option( All_In_One_Backup::FOLDER_OPTION );
		$folder  = is_string( $folder ) && path_is_absolute( $folder ) ? $folder : WP_CONTENT_DIR . '/ai1wm-backups';
		$backups = [];
		foreach ( self::newest_files( $folder, All_In_One_Backup::ARCHIVE_NAME ) as $path => $modified_at ) {
			$backups[] = All_In_One_Backup::read_archive( basename( $path ), $modified_at, self::read_head( $path, All_In_One_Backup::HEAD_BYTES ), get_site_url(), $now );
		}
		return array_filter( $backups );
	}

	/** @return array<string, int> The newest files of a folder with their times. Links are left out. */
	private static function newest_files( string $folder, string $pattern ): array {
		$handle = @opendir( $folder ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- The folder may not exist.
		if ( false === $handle ) {
			return [];
		}
		$files = [];
		for ( $entries = 0; $entries < self::MAX_FOLDER_ENTRIES; $entries++ ) {
			$name = readdir( $handle );
			if ( false === $name ) {
				break;
			}
			$path = $folder . '/' . $name;
			if ( 1 === preg_match( $pattern, $name ) && is_file( $path ) && ! is_link( $path ) ) {
				$files[ $path ] = (int) filemtime( $path );
			}
		}
		closedir( $handle );
		arsort( $files );
		return array_slice( $files, 0, self::MAX_READ_FILES, true );
	}

	private static function read_head( string $path, int $bytes ): string {
		return (string) @file_get_contents( $path, false, null, 0, $bytes ); // phpcs:ignore WordPress.PHP.NoSilencedErrors -- Without permission, the backup is not known.
	}
}
