<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Watchdog\Files;
use Steward\Watchdog\Journal;
use Steward\Watchdog\Saved_Version;
use Throwable;

defined( 'ABSPATH' ) || exit;

/**
 * The replaced versions of plugins and themes: the newest two of each, within a total size. A failure to save never
 * breaks an update.
 */
final class Saved_Versions {

	const OPTION = 'steward_saved_folder';

	private const MAX_PER_ITEM       = 2;
	private const MAX_TOTAL_BYTES    = 200 * MB_IN_BYTES;
	private const MAX_VERSION_LENGTH = 64;

	private const WEB_CONFIG = '<?xml version="1.0" encoding="UTF-8"?><configuration><system.web><authorization><deny users="*" /></authorization></system.web></configuration>';

	public static function register(): void {
		add_action(
			'deleted_plugin',
			static function ( $plugin, $is_deleted ): void {
				$is_deleted && self::delete_item( Requested_Items::PLUGIN, (string) $plugin );
			},
			10,
			2
		);
		add_action(
			'deleted_theme',
			static function ( $theme, $is_deleted ): void {
				$is_deleted && self::delete_item( Requested_Items::THEME, (string) $theme );
			},
			10,
			2
		);
	}

	/** Returns the data with which the watchdog saves the current version of an item, or [] if it cannot be saved. */
	public static function describe( Item $item ): array {
		$version    = trim( (string) $item->version() );
		$is_steward = Requested_Items::PLUGIN === $item->type() && Installed_Plugins::is_steward( $item->slug() );
		if ( $is_steward || '' === $version || strlen( $version ) > self::MAX_VERSION_LENGTH || ! self::ensure_folder() ) {
			return [];
		}
		return [
			'folder'  => self::folder(),
			'name'    => wp_basename( $item->path() ),
			'type'    => $item->type(),
			'slug'    => $item->slug(),
			'version' => $version,
		];
	}

	/**
	 * @param string $installed Installed version, which is left out.
	 * @return string[] Newest first.
	 */
	public static function versions( string $type, string $slug, string $installed ): array {
		$versions = [];
		foreach ( self::all() as $saved ) {
			if ( self::belongs_to( $saved, $type, $slug ) && ! Versions::are_same( $saved['version'], $installed ) ) {
				$versions[] = $saved['version'];
			}
		}
		return array_slice( array_values( array_unique( $versions ) ), 0, self::MAX_PER_ITEM );
	}

	/** Returns the saved folder or file, or null. */
	public static function find( string $type, string $slug, string $version ): ?string {
		foreach ( self::all() as $saved ) {
			if ( self::belongs_to( $saved, $type, $slug ) && trim( $version ) === $saved['version'] ) {
				return $saved['source'];
			}
		}
		return null;
	}

	/** Deletes saved versions that are no longer needed. The caller holds the lock. */
	public static function prune(): void {
		try {
			self::delete_unneeded();
		} catch ( Throwable $thrown ) {
			error_log( 'Steward: could not delete saved versions: ' . $thrown->getMessage() );
		}
	}

	private static function delete_unneeded(): void {
		/**
		 * Filters how many bytes all saved versions may use. 0 saves no versions.
		 *
		 * @param int $bytes Bytes.
		 */
		$max_bytes = (int) apply_filters( 'steward_saved_versions_bytes', self::MAX_TOTAL_BYTES );
		$kept      = [];
		$is_full   = false;
		$total     = 0;
		foreach ( self::all() as $saved ) {
			$is_complete = isset( $saved['source'] );
			$is_large    = $is_complete && $saved['bytes'] >= $max_bytes;
			$versions    = $is_complete ? $kept[ $saved['type'] . ' ' . $saved['of'] ] ?? [] : [];
			if ( ! $is_complete || $is_large || $is_full || count( $versions ) >= self::MAX_PER_ITEM || in_array( $saved['version'], $versions, true ) || self::is_installed( $saved ) ) {
				Saved_Version::delete( $saved['path'] );
				continue;
			}
			$total  += $saved['bytes'];
			$is_full = $total > $max_bytes;
			if ( $is_full ) {
				Saved_Version::delete( $saved['path'] );
				continue;
			}
			$kept[ $saved['type'] . ' ' . $saved['of'] ][] = $saved['version'];
		}
	}

	public static function delete_all(): void {
		if ( '' !== self::folder() ) {
			Files::delete( self::folder() );
		}
		delete_option( self::OPTION );
	}

	/** Copies a saved version to its place. Returns whether all files were copied. */
	public static function copy( string $source, string $target ): bool {
		if ( is_file( $source ) ) {
			return @copy( $source, $target );
		}
		return wp_mkdir_p( $target ) && true === copy_dir( $source, $target );
	}

	private static function delete_item( string $type, string $slug ): void {
		foreach ( self::all() as $saved ) {
			if ( self::belongs_to( $saved, $type, $slug ) ) {
				Saved_Version::delete( $saved['path'] );
			}
		}
	}

	/** Whether the version is installed and committed. A restored version can still be rolled back. */
	private static function is_installed( array $saved ): bool {
		if ( null !== Journal::read() ) {
			return false;
		}
		$version = Requested_Items::PLUGIN === $saved['type'] ? Installed_Plugins::version( $saved['of'] ) : Installed_Themes::version( $saved['of'] );
		return null !== $version && Versions::are_same( $version, $saved['version'] );
	}

	private static function belongs_to( array $saved, string $type, string $slug ): bool {
		return isset( $saved['source'] ) && $saved['type'] === $type && $saved['of'] === $slug;
	}

	private static function all(): array {
		return '' === self::folder() ? [] : Saved_Version::all( self::folder() );
	}

	/** Returns the folder of all saved versions, or '' if there is none yet. */
	private static function folder(): string {
		$name = get_option( self::OPTION, '' );
		return is_string( $name ) && 1 === preg_match( '/^steward-saved-[0-9a-f]{32}$/D', $name ) ? WP_CONTENT_DIR . '/' . $name : '';
	}

	/** Uses a name that cannot be guessed: some web servers ignore .htaccess and would serve the files. */
	private static function ensure_folder(): bool {
		if ( '' === self::folder() ) {
			update_option( self::OPTION, 'steward-saved-' . bin2hex( random_bytes( 16 ) ), false );
		}
		$folder = self::folder();
		if ( '' === $folder || ! State_Folder::ensure( $folder ) ) {
			return false;
		}
		is_file( $folder . '/web.config' ) || @file_put_contents( $folder . '/web.config', self::WEB_CONFIG );
		return true;
	}
}
