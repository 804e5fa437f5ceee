<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

defined( 'ABSPATH' ) || exit;

/** The result of an item that a call does not change: it is up to date, or refused. */
final class Unchanged_Item {

	/**
	 * @param string|null $offered   Offered version. Null: no update is offered.
	 * @param string|null $requested Requested version. Null: any version.
	 * @return array|null Null: the offered version can be installed.
	 */
	public static function for_offer( string $slug, string $name, string $installed, ?string $offered, ?string $requested ): ?array {
		$is_up_to_date = null === $requested ? null === $offered : Versions::are_same( $installed, $requested );
		if ( $is_up_to_date ) {
			return self::up_to_date( $slug, $name, $installed );
		}
		if ( null === $offered ) {
			/* translators: %s: Version. */
			return self::refused( $slug, $name, $installed, 'offer_changed', sprintf( __( 'The site no longer offers version %s. No changes were made. Sync the site to see its updates.', 'steward' ), $requested ) );
		}
		// Compare exactly, unlike above: the user saw the offer in this spelling.
		return null === $requested || trim( $requested ) === trim( substr( $offered, 0, Requested_Items::MAX_VERSION_LENGTH ) )
			? null
			/* translators: 1: Offered version, 2: requested version. */
			: self::refused( $slug, $name, $installed, 'offer_changed', sprintf( __( 'The site now offers version %1$s, not %2$s. No changes were made. Sync the site to see its updates.', 'steward' ), $offered, $requested ) );
	}

	public static function up_to_date( string $slug, string $name, string $installed ): array {
		return self::describe( $slug, $name, $installed, true );
	}

	/** @param string $code Error code that the panel knows. */
	public static function refused( string $slug, string $name, string $installed, string $code, string $error ): array {
		return self::describe( $slug, $name, $installed, false ) + compact( 'error', 'code' );
	}

	private static function describe( string $slug, string $name, string $installed, bool $success ): array {
		return [
			'slug'        => $slug,
			'new_version' => $installed,
			'success'     => $success,
			'old_version' => $installed,
		] + ( '' === $name ? [] : [ 'name' => $name ] );
	}
}
