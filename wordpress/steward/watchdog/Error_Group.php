<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/** Equal errors: the same item, version, message, place and kind of request. Contains no data of the request. */
final class Error_Group {

	/** Opcache may run the old files for this time after a change. */
	const SETTLING_SECONDS = 2;

	private const MAX_VIA       = 5;
	private const MAX_TEXT      = 200;
	private const MAX_VERSION   = 64;

	/** @var string */
	public $type;

	/** @var string */
	public $slug;

	/** @var string */
	public $version;

	/** @var string */
	public $message;

	/** @var string File and line, relative to the item. */
	public $place;

	/** @var string */
	public $request_kind;

	/** @var array<array{type: string, slug: string}> The items that called the item. */
	public $via = [];

	/** @var bool Whether the code was not in a file of the item, but stored by a user. */
	public $is_evaluated = false;

	/** @var int When the files of the item were replaced. */
	public $changed_at = 0;

	/** @var int When the files of the item, or of one that called it, were replaced. */
	public $last_change_at = 0;

	/**
	 * @param array  $error        Result of error_get_last().
	 * @param string $request_kind One of the constants of Error_Watch.
	 * @return self|null Null: the code belongs neither to an item nor to core.
	 */
	public static function from_error( array $error, string $request_kind ): ?self {
		$finder = new Item_Finder();
		$frames = array_merge( [ [ (string) $error['file'], (int) $error['line'] ] ], self::read_frames( $error ) );
		$owner  = self::find_owner( $finder, $frames );
		if ( null === $owner ) {
			return null;
		}
		[ $index, $found ]   = $owner;
		$described           = $finder->describe( $found['type'], $found['slug'] );
		$group               = new self();
		$group->type         = $found['type'];
		$group->slug         = $found['slug'];
		$group->version      = substr( $described['version'], 0, self::MAX_VERSION );
		$group->request_kind = $request_kind;
		$group->is_evaluated = $found['is_evaluated'];
		$group->message      = Error_Message::redact( (string) $error['message'], $found['type'], $found['slug'] );
		$group->place        = Error_Message::cut( Error_Message::redact_path( $found['path'] ) . ':' . $frames[ $index ][1], self::MAX_TEXT );
		$group->changed_at   = $described['changed_at'];
		$group->last_change_at = $described['changed_at'];
		foreach ( self::find_callers( $finder, array_slice( $frames, $index + 1 ), $found ) as $caller ) {
			$group->via[]          = $caller;
			$group->last_change_at = max( $group->last_change_at, $finder->describe( $caller['type'], $caller['slug'] )['changed_at'] );
		}
		return $group;
	}

	/** Whether both are the same failure, perhaps in another kind of request. */
	public function has_same_place( array $stored ): bool {
		return [ $this->type, $this->slug, $this->version, $this->place ] === [ $stored['type'], $stored['slug'], $stored['version'], $stored['place'] ];
	}

	public function key(): string {
		return substr( hash( 'sha256', implode( "\n", [ $this->type, $this->slug, $this->version, $this->message, $this->place, $this->request_kind ] ) ), 0, 32 );
	}

	/** @return array<string, mixed> The fields that the panel gets. */
	public function to_array(): array {
		return [
			'type'         => $this->type,
			'slug'         => $this->slug,
			'version'      => $this->version,
			'message'      => $this->message,
			'place'        => $this->place,
			'request_kind' => $this->request_kind,
			'via'          => $this->via,
		];
	}

	/**
	 * Returns the index of the frame that failed, and its item: the file of the error, or the nearest caller if the file is
	 * in core. A hook that core fires separates the callers: they did not cause the error.
	 *
	 * @return array{int, array}|null
	 */
	private static function find_owner( Item_Finder $finder, array $frames ): ?array {
		$is_below_hook = false;
		$first_core    = null;
		foreach ( $frames as $index => [ $file ] ) {
			$found = $finder->find( $file );
			if ( Item_Finder::PLUGIN === $found['type'] || Item_Finder::THEME === $found['type'] ) {
				return [ $index, $found ];
			}
			if ( Item_Finder::CORE === $found['type'] ) {
				$first_core = $first_core ?? [ $index, $found ];
				if ( $is_below_hook && ! $found['is_hook'] ) {
					break;
				}
				$is_below_hook = $found['is_hook'];
			} elseif ( 0 === strpos( str_replace( '\\', '/', $file ), str_replace( '\\', '/', WPMU_PLUGIN_DIR ) . '/' ) ) {
				// The code of a must-use plugin is nearer than the item that called it.
				break;
			}
		}
		// The error is in core only if no other code is nearer.
		return null !== $first_core && 0 === $first_core[0] ? $first_core : null;
	}

	/** @return array<array{type: string, slug: string}> Other items that called the item, not through core. */
	private static function find_callers( Item_Finder $finder, array $frames, array $owner ): array {
		$callers = [];
		foreach ( $frames as [ $file ] ) {
			$found = $finder->find( $file );
			if ( Item_Finder::CORE === $found['type'] && ! $found['is_hook'] ) {
				break;
			}
			$caller = [
				'type' => $found['type'],
				'slug' => $found['slug'],
			];
			$is_item = Item_Finder::PLUGIN === $found['type'] || Item_Finder::THEME === $found['type'];
			if ( $is_item && ! in_array( $caller, $callers, true ) && [ $owner['type'], $owner['slug'] ] !== [ $caller['type'], $caller['slug'] ] ) {
				$callers[] = $caller;
			}
		}
		return array_slice( $callers, 0, self::MAX_VIA );
	}

	/** @return array<array{string, int}> File and line of each call, nearest first. */
	private static function read_frames( array $error ): array {
		// PHP 8.5 also records the calls before an error that is no exception.
		if ( is_array( $error['trace'] ?? null ) ) {
			$frames = [];
			foreach ( $error['trace'] as $frame ) {
				isset( $frame['file'] ) && $frames[] = [ (string) $frame['file'], (int) ( $frame['line'] ?? 0 ) ];
			}
			return $frames;
		}
		// The last trace is that of the exception itself; those before are of its causes.
		$position = strrpos( (string) $error['message'], "\nStack trace:\n" );
		$count    = false === $position ? 0 : preg_match_all( '/^#\d+ (.+?)\((\d+)\): /m', substr( $error['message'], $position ), $matches, PREG_SET_ORDER );
		return array_map(
			static function ( array $match ): array {
				return [ $match[1], (int) $match[2] ];
			},
			$count ? $matches : []
		);
	}
}
