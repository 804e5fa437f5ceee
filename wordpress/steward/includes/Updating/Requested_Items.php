<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use stdClass;
use Steward\Rest\Api_Error;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** The `items` of a remote/update call: the only updates that the panel wants. */
final class Requested_Items {

	const PLUGIN      = 'plugin';
	const THEME       = 'theme';
	const CORE        = 'core';
	const TRANSLATION = 'translation';

	const CORE_SLUG         = 'core';
	const TRANSLATIONS_SLUG = 'all';

	/** The inventory also cuts versions at this length. */
	const MAX_VERSION_LENGTH = 64;

	private const MAX_ITEMS        = 200;
	private const MAX_SLUG_LENGTH  = 500;
	private const MAX_LABEL_LENGTH = 100;

	/** @var array<string, array<int|string, string|null>> Requested version by type and slug. Null: any version. */
	private $versions = [
		self::PLUGIN      => [],
		self::THEME       => [],
		self::CORE        => [],
		self::TRANSLATION => [],
	];

	private function __construct() {}

	/**
	 * @param string $json Body of the call.
	 * @return self|WP_Error|null Null: the call has no items and means all pending updates.
	 */
	public static function from_body( string $json ) {
		// Objects stay objects: an array of items and an object with numbers as keys must differ.
		$body = json_decode( $json );
		if ( JSON_ERROR_NONE !== json_last_error() ) {
			// WordPress has refused invalid JSON, unless another content type was sent. Never update all items by mistake.
			return false === strpos( $json, '"items"' ) ? null : self::list_error();
		}
		// PHP programs encode an empty object as an empty array.
		if ( ! $body instanceof stdClass && [] !== $body ) {
			return Api_Error::create( 'invalid_request', __( 'The body is not a JSON object.', 'steward' ) );
		}
		if ( [] === $body || ! property_exists( $body, 'items' ) ) {
			return null;
		}
		if ( ! is_array( $body->items ) || [] === $body->items || count( $body->items ) > self::MAX_ITEMS ) {
			return self::list_error();
		}
		$items = new self();
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

	/**
	 * @param mixed $item Item of the list.
	 * @return string|null Reason why the item is not valid.
	 */
	private function add( $item ): ?string {
		$type = $item->type ?? null;
		$slug = $item->slug ?? null;
		if ( ! is_string( $type ) || ! isset( $this->versions[ $type ] ) ) {
			return __( 'the type must be one of plugin, theme, core and translation.', 'steward' );
		}
		if ( ! is_string( $slug ) || mb_strlen( $slug, 'UTF-8' ) > self::MAX_SLUG_LENGTH || ! self::is_valid_slug( $type, $slug ) ) {
			return self::slug_rule( $type );
		}
		if ( array_key_exists( $slug, $this->versions[ $type ] ) ) {
			return __( 'it is in the list twice.', 'steward' );
		}
		$version = $item->version ?? null;
		if ( property_exists( $item, 'version' ) && ( ! is_string( $version ) || '' === $version || mb_strlen( $version, 'UTF-8' ) > self::MAX_VERSION_LENGTH ) ) {
			/* translators: %d: Number of characters. */
			return sprintf( __( 'the version must be a text of 1 to %d characters.', 'steward' ), self::MAX_VERSION_LENGTH );
		}
		$this->versions[ $type ][ $slug ] = $version;
		return null;
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

	private static function list_error(): WP_Error {
		/* translators: %d: Number of items. */
		return Api_Error::create( 'invalid_items', sprintf( __( 'The items must be a list of 1 to %d items, each with a type and a slug.', 'steward' ), self::MAX_ITEMS ) );
	}

	/** @param mixed $item Item of the list. */
	private static function label( $item ): string {
		$parts = array_filter( [ $item->type ?? null, $item->slug ?? null ], 'is_string' );
		$text  = trim( (string) preg_replace( '/[\x00-\x1f\x7f]+/', ' ', implode( ' ', $parts ) ) );
		return '' === $text ? '-' : mb_substr( $text, 0, self::MAX_LABEL_LENGTH, 'UTF-8' );
	}
}
