<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use stdClass;
use Steward\Rest\Api_Error;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** The `items` of a call. The call changes only these parts of the site. */
final class Requested_Items {

	const PLUGIN      = 'plugin';
	const THEME       = 'theme';
	const CORE        = 'core';
	const TRANSLATION = 'translation';

	const CORE_SLUG         = 'core';
	const TRANSLATIONS_SLUG = 'all';

	const UPDATE  = 'update';
	const INSTALL = 'install';
	const RESTORE = 'restore';

	/** The inventory cuts versions at this length, so no valid request has a longer one. */
	const MAX_VERSION_LENGTH = 64;

	private const MAX_ITEMS = [
		self::UPDATE  => 200,
		self::INSTALL => 20,
		self::RESTORE => 200,
	];

	/** Slug of an item on wordpress.org. */
	private const DIRECTORY_SLUG = '~^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]*$~D';

	private const MAX_URL_LENGTH   = 2048;
	private const MAX_SLUG_LENGTH  = 500;
	private const MAX_LABEL_LENGTH = 100;

	/** @var array<string, array<int|string, string|null>> Requested version by type and slug. Null: any version. */
	private $versions = [
		self::PLUGIN      => [],
		self::THEME       => [],
		self::CORE        => [],
		self::TRANSLATION => [],
	];

	/** @var array<string, array<int|string, object>> Package by type and slug. */
	private $packages = [
		self::PLUGIN => [],
		self::THEME  => [],
	];

	/** @var string UPDATE, INSTALL or RESTORE. */
	private $purpose;

	private function __construct( string $purpose ) {
		$this->purpose = $purpose;
	}

	/**
	 * @param string $json    Body of the call.
	 * @param string $purpose UPDATE, INSTALL or RESTORE.
	 * @return self|WP_Error|null Null: the call has no items and means all pending updates.
	 */
	public static function from_body( string $json, string $purpose = self::UPDATE ) {
		// Decode objects as objects: an array of items and an object with numbers as keys must stay different.
		$body = json_decode( $json );
		if ( JSON_ERROR_NONE !== json_last_error() ) {
			// WordPress refuses invalid JSON only with a JSON content type. A damaged list must never update all items.
			return self::UPDATE === $purpose && false === strpos( $json, '"items"' ) ? null : self::list_error( $purpose );
		}
		// PHP programs encode an empty object as an empty array.
		if ( ! $body instanceof stdClass && [] !== $body ) {
			return Api_Error::create( 'invalid_request', __( 'The body is not a JSON object.', 'steward' ) );
		}
		if ( [] === $body || ! property_exists( $body, 'items' ) ) {
			return self::UPDATE === $purpose ? null : self::list_error( $purpose );
		}
		if ( ! is_array( $body->items ) || [] === $body->items || count( $body->items ) > self::MAX_ITEMS[ $purpose ] ) {
			return self::list_error( $purpose );
		}
		$items = new self( $purpose );
		foreach ( $body->items as $index => $item ) {
			$reason = $items->add( $item );
			if ( null !== $reason ) {
				/* translators: 1: Position in a list, 2: type and slug of an item, 3: reason. */
				return Api_Error::create( 'invalid_items', sprintf( __( 'Item %1$d (%2$s) is not valid: %3$s', 'steward' ), $index + 1, self::label( $item ), $reason ) );
			}
		}
		return $items;
	}

	/** @return array<int|string, string|null> Requested version by slug. PHP makes numeric slugs integers. */
	public function versions( string $type ): array {
		return $this->versions[ $type ];
	}

	/** Returns `url`, `sha256` and `size`, or null if the item has no package. */
	public function package( string $type, string $slug ): ?object {
		return $this->packages[ $type ][ $slug ] ?? null;
	}

	/**
	 * @param mixed $item Item of the list.
	 * @return string|null Reason why the item is not valid.
	 */
	private function add( $item ): ?string {
		$type = $item->type ?? null;
		$slug = $item->slug ?? null;
		$is_update = self::UPDATE === $this->purpose;
		if ( ! is_string( $type ) || ! isset( $this->versions[ $type ] ) || ( ! $is_update && ! isset( $this->packages[ $type ] ) ) ) {
			return $is_update ? __( 'the type must be plugin, theme, core or translation.', 'steward' ) : __( 'the type must be plugin or theme.', 'steward' );
		}
		$is_from_directory = self::INSTALL === $this->purpose && ! property_exists( $item, 'package' );
		$has_valid_slug    = is_string( $slug ) && mb_strlen( $slug, 'UTF-8' ) <= self::MAX_SLUG_LENGTH
			&& ( $is_from_directory ? 1 === preg_match( self::DIRECTORY_SLUG, $slug ) : self::is_valid_slug( $type, $slug ) );
		if ( ! $has_valid_slug ) {
			return $is_from_directory ? __( 'without a package, the slug must be the slug on wordpress.org.', 'steward' ) : self::slug_rule( $type );
		}
		if ( array_key_exists( $slug, $this->versions[ $type ] ) ) {
			return __( 'it is in the list twice.', 'steward' );
		}
		$version = $item->version ?? null;
		if ( ( ! $is_update || property_exists( $item, 'version' ) ) && ( ! is_string( $version ) || '' === $version || mb_strlen( $version, 'UTF-8' ) > self::MAX_VERSION_LENGTH ) ) {
			/* translators: %d: Number of characters. */
			return sprintf( __( 'the version must be a text of 1 to %d characters.', 'steward' ), self::MAX_VERSION_LENGTH );
		}
		if ( self::INSTALL === $this->purpose && ! $is_from_directory ) {
			if ( ! self::is_valid_package( $item->package ) ) {
				return __( 'the package must have a url, a sha256 and a size.', 'steward' );
			}
			$this->packages[ $type ][ $slug ] = $item->package;
		}
		$this->versions[ $type ][ $slug ] = $version;
		return null;
	}

	/** @param mixed $package Package of an item. */
	private static function is_valid_package( $package ): bool {
		return $package instanceof stdClass
			&& is_string( $package->url ?? null ) && strlen( $package->url ) <= self::MAX_URL_LENGTH && 1 === preg_match( '~^https?://[^\s]+$~Di', $package->url )
			&& is_string( $package->sha256 ?? null ) && 1 === preg_match( '~^[0-9a-f]{64}$~D', $package->sha256 )
			&& is_int( $package->size ?? null ) && $package->size >= 1 && $package->size <= Package_Download::MAX_BYTES;
	}

	private static function is_valid_slug( string $type, string $slug ): bool {
		switch ( $type ) {
			case self::PLUGIN:
				return Installed_Plugins::is_valid_file( $slug );
			case self::THEME:
				return Installed_Themes::is_valid_folder( $slug );
			default:
				return ( self::CORE === $type ? self::CORE_SLUG : self::TRANSLATIONS_SLUG ) === $slug;
		}
	}

	private static function slug_rule( string $type ): string {
		switch ( $type ) {
			case self::PLUGIN:
				return __( 'the slug must have the form directory/file.php or file.php.', 'steward' );
			case self::THEME:
				return __( 'the slug must be the folder of the theme.', 'steward' );
			default:
				/* translators: %s: Required slug. */
				return sprintf( __( 'the slug must be "%s".', 'steward' ), self::CORE === $type ? self::CORE_SLUG : self::TRANSLATIONS_SLUG );
		}
	}

	private static function list_error( string $purpose ): WP_Error {
		/* translators: %d: Number of items. */
		return Api_Error::create( 'invalid_items', sprintf( __( 'The items must be a list of 1 to %d items, each with a type and a slug.', 'steward' ), self::MAX_ITEMS[ $purpose ] ) );
	}

	/** @param mixed $item Item of the list. */
	private static function label( $item ): string {
		$parts = array_filter( [ $item->type ?? null, $item->slug ?? null ], 'is_string' );
		$text  = trim( (string) preg_replace( '/[\x00-\x1f\x7f]+/', ' ', implode( ' ', $parts ) ) );
		return '' === $text ? '-' : mb_substr( $text, 0, self::MAX_LABEL_LENGTH, 'UTF-8' );
	}
}
