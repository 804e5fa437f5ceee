<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * Replaced versions that can be restored. Each is a folder with a description and the files.
 *
 * Uses only files: the watchdog also commits updates, and in maintenance mode the database is not loaded.
 */
final class Saved_Version {

	private const DESCRIPTION_FILE = 'version.json';
	private const FILES_FOLDER     = 'files';

	/**
	 * Moves the backup of a committed update to the saved versions. Renames it, which needs no disk space. A folder on
	 * another file system cannot be renamed, so it is not saved.
	 *
	 * @param string                                                                                        $backup Backup.
	 * @param array{folder: string, name: string, type: string, slug: string, of: string, version: string} $saved  `name` is the folder or file name, `slug` the slug of the saved version, `of` the slug of the version that replaced it.
	 * @return bool Whether the backup was moved.
	 */
	public static function keep( string $backup, array $saved ): bool {
		if ( ! isset( $saved['folder'], $saved['name'], $saved['type'], $saved['slug'], $saved['of'], $saved['version'] ) || ! is_dir( $saved['folder'] ) || is_link( $backup ) ) {
			return false;
		}
		// The names sort by time.
		$entry       = $saved['folder'] . '/' . sprintf( '%016.0f', microtime( true ) * 1000000 ) . '-' . uniqid();
		$description = [
			'type'    => $saved['type'],
			'slug'    => $saved['slug'],
			'of'      => $saved['of'],
			'version' => $saved['version'],
			'name'    => $saved['name'],
			'bytes'   => self::measure( $backup ),
		];
		if ( @mkdir( $entry ) && @mkdir( $entry . '/' . self::FILES_FOLDER ) && self::write( $entry, $description ) && @rename( $backup, $entry . '/' . self::FILES_FOLDER . '/' . $saved['name'] ) ) {
			self::follow_rename( $saved );
			return true;
		}
		Files::delete( $entry );
		return false;
	}

	/**
	 * Returns the saved versions, newest first. `path` is the folder of the entry, `source` the saved folder or file. An
	 * incomplete entry has only a path.
	 *
	 * @return array<array{path: string, source?: string, type?: string, slug?: string, of?: string, version?: string, bytes?: int}>
	 */
	public static function all( string $folder ): array {
		$names = preg_grep( '/^\d{16}-/', Files::list_names( $folder ) ) ?: [];
		rsort( $names );
		return array_map(
			static function ( string $name ) use ( $folder ): array {
				return self::read( $folder . '/' . $name );
			},
			$names
		);
	}

	/** Deletes the description first: a partly deleted version must not be restored. */
	public static function delete( string $entry ): void {
		@unlink( $entry . '/' . self::DESCRIPTION_FILE );
		Files::delete( $entry );
	}

	private static function read( string $entry ): array {
		$description = json_decode( (string) @file_get_contents( $entry . '/' . self::DESCRIPTION_FILE ), true );
		$description = is_array( $description ) ? $description : [];
		foreach ( [ 'type', 'slug', 'of', 'version', 'name' ] as $field ) {
			if ( ! is_string( $description[ $field ] ?? null ) || '' === $description[ $field ] ) {
				return [ 'path' => $entry ];
			}
		}
		$source = $entry . '/' . self::FILES_FOLDER . '/' . str_replace( [ '/', '\\' ], '', $description['name'] );
		return Files::exists( $source ) ? [
			'path'   => $entry,
			'source' => $source,
			'bytes'  => (int) ( $description['bytes'] ?? 0 ),
		] + $description : [ 'path' => $entry ];
	}

	/** After an update renamed the main file, assigns the older versions of the plugin to the new name. */
	private static function follow_rename( array $saved ): void {
		if ( $saved['slug'] === $saved['of'] ) {
			return;
		}
		foreach ( self::all( $saved['folder'] ) as $other ) {
			if ( isset( $other['source'] ) && $other['type'] === $saved['type'] && $other['of'] === $saved['slug'] ) {
				self::write( $other['path'], [ 'of' => $saved['of'] ] + array_diff_key( $other, array_flip( [ 'path', 'source' ] ) ) );
			}
		}
	}

	private static function write( string $entry, array $description ): bool {
		$json = (string) json_encode( $description, JSON_INVALID_UTF8_SUBSTITUTE );
		$file = $entry . '/' . self::DESCRIPTION_FILE;
		return strlen( $json ) === @file_put_contents( $file . '.new', $json ) && @rename( $file . '.new', $file );
	}

	private static function measure( string $path ): int {
		$bytes = 0;
		foreach ( Files::list_files( $path ) as $file ) {
			$bytes += (int) @filesize( $file );
		}
		return $bytes;
	}
}
