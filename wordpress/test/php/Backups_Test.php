<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Backups\All_In_One_Backup;
use Steward\Backups\Backup;
use Steward\Backups\Backup_Report;
use Steward\Backups\BackWPup_Backup;
use Steward\Backups\Duplicator_Backup;
use Steward\Backups\UpdraftPlus_Backup;
use Steward\Backups\WPvivid_Backup;

final class Backups_Test extends TestCase {

	/** 2026-06-12T12:00:00Z */
	private const NOW = 1781265600;

	private const UPDRAFTPLUS = [
		'nonincremental_backup_time' => self::NOW - 3600,
		'backup_time'                => self::NOW - 3600,
		'backup_array'               => [
			'plugins'      => [ 'backup_2026-06-12-1100_Shop_a5e9c1d3b153-plugins.zip' ],
			'plugins-size' => 10865551,
			'themes'       => [ 'backup_2026-06-12-1100_Shop_a5e9c1d3b153-themes.zip' ],
			'db'           => 'backup_2026-06-12-1100_Shop_a5e9c1d3b153-db.gz',
			'db-size'      => 144995,
		],
		'success'                    => 1,
		'errors'                     => [],
		'backup_nonce'               => 'a5e9c1d3b153',
	];

	/** @param Backup[] $backups */
	private static function summarize( array $backups ): array {
		return array_map(
			static function ( Backup $backup ): array {
				return [ $backup->contains, self::NOW - $backup->time ];
			},
			array_values( array_filter( $backups ) )
		);
	}

	private static function updraftplus( array $changes ): array {
		return self::summarize( UpdraftPlus_Backup::read( array_replace( self::UPDRAFTPLUS, $changes ), self::NOW ) );
	}

	public function test_updraftplus_has_the_result_of_its_last_backup(): void {
		self::assertSame( [ [ 'all', 3600 ] ], self::updraftplus( [] ) );
		self::assertSame( [ [ 'all', 60 ] ], self::updraftplus( [ 'backup_time' => (string) ( self::NOW - 60 ), 'success' => '1' ] ) );
		self::assertSame( [ [ 'database', 3600 ] ], self::updraftplus( [ 'backup_array' => [ 'db' => 'db.gz' ] ] ) );
		self::assertSame( [ [ 'files', 3600 ] ], self::updraftplus( [ 'backup_array' => [ 'plugins' => [ 'a.zip' ], 'themes' => [ 'b.zip' ] ] ] ) );
		// Uploads alone cannot undo an update.
		self::assertSame( [], self::updraftplus( [ 'backup_array' => [ 'uploads' => [ 'a.zip' ] ] ] ) );
	}

	public function test_a_failed_backup_of_updraftplus_is_not_known(): void {
		self::assertSame( [], self::updraftplus( [ 'success' => 0 ] ) );
		self::assertSame( [], self::updraftplus( [ 'backup_array' => [] ] ) );
		self::assertSame( [], UpdraftPlus_Backup::read( array_diff_key( self::UPDRAFTPLUS, [ 'success' => 1 ] ), self::NOW ) );
	}

	/** @dataProvider nonsense */
	public function test_nonsense_is_not_known( $value ): void {
		self::assertSame( [], self::updraftplus( [ 'backup_time' => $value ] ) );
		self::assertSame( [], UpdraftPlus_Backup::read( $value, self::NOW ) );
		self::assertSame( [], UpdraftPlus_Backup::read( [ 'success' => 1, 'backup_array' => $value, 'backup_time' => self::NOW ], self::NOW ) );
		self::assertSame( [], WPvivid_Backup::read( $value, self::NOW ) );
		self::assertSame( [], WPvivid_Backup::read( [ $value ], self::NOW ) );
		self::assertSame( [], self::wpvivid( [ 'create_time' => $value ] ) );
		self::assertSame( [], self::wpvivid( [ 'backup' => [ 'result' => 'success', 'files' => [ [ 'file_name' => $value ] ] ] ] ) );
		self::assertSame( [], Duplicator_Backup::read( $value, self::NOW ) );
		self::assertSame( [], Duplicator_Backup::read( [ $value ], self::NOW ) );
		self::assertSame( [], Duplicator_Backup::read( [ [ 'status' => '100', 'created' => $value, 'flags' => '' ] ], self::NOW ) );
		$text = is_string( $value ) ? $value : '';
		self::assertNull( BackWPup_Backup::read_log( $text, self::NOW ) );
		self::assertNull( BackWPup_Backup::read_log( self::log( [ 'date' => $text ] ), self::NOW ) );
		self::assertNull( All_In_One_Backup::read_archive( 'shop.example-20260612-110000-abc123.wpress', self::NOW, $text, 'https://shop.example', self::NOW ) );
	}

	public static function nonsense(): array {
		return array_map(
			static function ( $value ): array {
				return [ $value ];
			},
			[ null, false, true, '', '0', 0, -1, 1.5, PHP_INT_MAX, INF, NAN, '9e99', '12 June', self::NOW + 301, '<script>', [], [ [] ], new \stdClass(), str_repeat( 'x', 100000 ), "1\0" ]
		);
	}

	private const WPVIVID = [
		'type'        => 'Cron',
		'create_time' => self::NOW - 7200,
		'save_local'  => 1,
		'backup'      => [
			'result' => 'success',
			'files'  => [ [ 'file_name' => 'shop.example_wpvivid-643cc38c65df7_2026-06-12-10-00_backup_all.zip', 'size' => 5 ] ],
		],
		'remote'      => [],
	];

	private static function wpvivid( array $changes ): array {
		return self::summarize( WPvivid_Backup::read( [ 'wpvivid-643cc38c65df7' => array_replace( self::WPVIVID, $changes ) ], self::NOW ) );
	}

	private static function files( string ...$names ): array {
		$files = array_map(
			static function ( string $name ): array {
				return [ 'file_name' => "shop_wpvivid-1_$name" ];
			},
			$names
		);
		return [ 'backup' => [ 'result' => 'success', 'files' => $files ] ];
	}

	public function test_wpvivid_lists_completed_backups(): void {
		self::assertSame( [ [ 'all', 7200 ] ], self::wpvivid( [] ) );
		self::assertSame( [ [ 'all', 7200 ] ], self::wpvivid( self::files( 'backup_all.part001.zip', 'backup_all.part002.zip' ) ) );
		self::assertSame( [ [ 'all', 7200 ] ], self::wpvivid( self::files( 'backup_db.zip', 'backup_plugin.part001.zip', 'backup_themes.zip' ) ) );
		self::assertSame( [ [ 'database', 7200 ] ], self::wpvivid( self::files( 'backup_db.zip', 'backup_uploads.zip' ) ) );
		self::assertSame( [], self::wpvivid( self::files( 'backup_uploads.zip' ) ) );
		self::assertSame( [], self::wpvivid( [ 'type' => 'Upload' ] ) );
		self::assertSame( [], self::wpvivid( [ 'backup' => [ 'result' => 'failed' ] + self::WPVIVID['backup'] ] ) );
	}

	public function test_duplicator_has_a_row_for_each_backup(): void {
		$read = static function ( array $row ): array {
			return self::summarize( Duplicator_Backup::read( [ $row + [ 'status' => '100', 'created' => '2026-06-12 11:00:00' ] ], self::NOW ) );
		};
		self::assertSame( [ [ 'all', 3600 ] ], $read( [ 'flags' => 'MANUAL,HAVE_LOCAL,ZIP_ARCHIVE' ] ) );
		self::assertSame( [ [ 'database', 3600 ] ], $read( [ 'flags' => 'SCHEDULE,DB_ONLY' ] ) );
		self::assertSame( [], $read( [ 'flags' => 'MEDIA_ONLY' ] ) );
		self::assertSame( [], $read( [ 'flags' => 'CUSTOM_COMPONENTS,HAVE_LOCAL' ] ) );
		self::assertSame( [ [ 'all', 3600 ] ], $read( [ 'is_database_only' => '0' ] ) );
		self::assertSame( [ [ 'database', 3600 ] ], $read( [ 'is_database_only' => '1' ] ) );
		self::assertSame( [], $read( [ 'status' => '75', 'flags' => '' ] ) );
		self::assertSame( [], $read( [ 'status' => '-1', 'flags' => '' ] ) );
		self::assertSame( [], $read( [ 'created' => '0000-00-00 00:00:00', 'flags' => '' ] ) );
	}

	private static function log( array $changes ): string {
		$head = '<html><head>';
		$meta = array_replace(
			[
				'date'                    => '2026-06-12T13:00:00+02:00',
				'backwpup_errors'         => '0',
				'backwpup_warnings'       => '2',
				'backwpup_jobid'          => '1',
				'backwpup_jobname'        => 'Daily &quot;all&quot;',
				'backwpup_jobtype'        => 'DBDUMP+FILE+WPPLUGIN',
				'backwpup_backupfilesize' => '500000',
				'backwpup_jobruntime'     => '42',
			],
			$changes
		);
		foreach ( $meta as $name => $content ) {
			$head .= str_pad( "<meta name=\"$name\" content=\"$content\" />", 100 ) . "\n";
		}
		return $head . '</head><body>';
	}

	public function test_backwpup_has_the_result_of_a_job_in_its_log(): void {
		$read = static function ( array $changes ): array {
			return self::summarize( [ BackWPup_Backup::read_log( self::log( $changes ), self::NOW ) ] );
		};
		self::assertSame( [ [ 'all', 3600 ] ], $read( [] ) );
		self::assertSame( [ [ 'database', 3600 ] ], $read( [ 'backwpup_jobtype' => 'DBDUMP' ] ) );
		self::assertSame( [ [ 'files', 3600 ] ], $read( [ 'backwpup_jobtype' => 'FILE' ] ) );
		self::assertSame( [], $read( [ 'backwpup_jobtype' => 'DBCHECK+WPEXP' ] ) );
		self::assertSame( [], $read( [ 'backwpup_errors' => '1' ] ) );
		self::assertSame( [], $read( [ 'backwpup_jobruntime' => '0' ] ) );
	}

	private static function archive( array $package, string $name = 'package.json' ): string {
		$json = json_encode( $package + [ 'SiteURL' => 'https://shop.example', 'Plugin' => [ 'Version' => '7.95' ] ] );
		return pack( 'a255a14a12a4096', $name, (string) strlen( $json ), (string) self::NOW, '' ) . $json . pack( 'a255', 'wp-content/x.php' );
	}

	public function test_all_in_one_has_an_archive_for_each_backup(): void {
		$read = static function ( string $name, string $head, int $age = 3000, string $url = 'https://shop.example' ): array {
			return self::summarize( [ All_In_One_Backup::read_archive( $name, self::NOW - $age, $head, $url, self::NOW ) ] );
		};
		$name = 'shop.example-20260612-110000-abc123.wpress';
		self::assertSame( [ [ 'all', 3000 ] ], $read( $name, self::archive( [] ) ) );
		self::assertSame( [ [ 'database', 3000 ] ], $read( $name, self::archive( [ 'NoPlugins' => true ] ) ) );
		self::assertSame( [ [ 'files', 3000 ] ], $read( $name, self::archive( [ 'NoDatabase' => true ] ) ) );
		self::assertSame( [ [ 'all', 3000 ] ], $read( $name, self::archive( [ 'NoMedia' => true ] ) ) );
		self::assertSame( [ [ 'all', 3000 ] ], $read( 'shop.example-blog-20260612-110000-777.wpress', self::archive( [] ), 3000, 'https://shop.example/blog/' ) );
		// An archive of another site, an old archive that was copied, another file format, and an archive that is not complete.
		self::assertSame( [], $read( $name, self::archive( [] ), 3000, 'https://other.example' ) );
		self::assertSame( [], $read( 'shop.example-20260101-110000-abc123.wpress', self::archive( [] ) ) );
		self::assertSame( [], $read( $name, self::archive( [], 'other.json' ) ) );
		self::assertSame( [], $read( $name, substr( self::archive( [] ), 0, 4380 ) ) );
	}

	public function test_the_report_has_the_newest_backup_of_each_content(): void {
		$backups = [
			Backup::create( self::NOW - 86400, true, true, self::NOW ),
			Backup::create( self::NOW - 3600, true, false, self::NOW ),
			Backup::create( self::NOW - 7200, true, false, self::NOW ),
		];
		self::assertSame(
			[
				[ 'plugin' => 'updraftplus', 'backed_up_at' => '2026-06-11T12:00:00Z', 'contains' => 'all' ],
				[ 'plugin' => 'updraftplus', 'backed_up_at' => '2026-06-12T11:00:00Z', 'contains' => 'database' ],
			],
			Backup_Report::of_plugin( 'updraftplus', $backups )
		);
		self::assertSame( [ [ 'plugin' => 'jetpack', 'backed_up_at' => null ] ], Backup_Report::of_plugin( 'jetpack', [] ) );
	}
}
