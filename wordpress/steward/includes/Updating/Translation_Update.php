<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Language_Pack_Upgrader;
use Throwable;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Installs all pending language packs. Succeeds if WordPress offers none of them again. */
final class Translation_Update {

	private const MAX_NAMES = 10;

	/** @var array<string, string> Name of each language pack that was pending, by offer. */
	private $offered = [];

	/** @var string|null */
	private $failure = null;

	/** @param callable $before_each Called before each language pack. */
	public function run( callable $before_each ): void {
		$this->offered = self::pending();
		if ( [] === $this->offered ) {
			return;
		}
		$skin     = new Quiet_Skin();
		$announce = static function ( $reply ) use ( $before_each ) {
			$before_each();
			return $reply;
		};
		add_filter( 'upgrader_pre_download', $announce );
		try {
			$results = $this->create_upgrader( $skin )->bulk_upgrade( wp_get_translation_updates(), [ 'clear_update_cache' => false ] );
		} catch ( Throwable $thrown ) {
			$results = new WP_Error( 'steward_thrown', $thrown->getMessage() );
		} finally {
			remove_filter( 'upgrader_pre_download', $announce );
		}
		// After a failed download, the results contain the previous language pack again. Only the skin has the error.
		$errors = array_filter( array_merge( [ $skin->first_error() ], is_array( $results ) ? $results : [ $results ] ), 'is_wp_error' );
		if ( [] !== $errors || ! is_array( $results ) ) {
			$this->failure = Plain_Error_Text::from( reset( $errors ) );
		}
	}

	/**
	 * @param bool $is_refreshed Whether WordPress has checked for updates after the run.
	 * @return array{slug: string, name: string, old_version: string, new_version: string, success: bool, error?: string}
	 */
	public function result( bool $is_refreshed ): array {
		$remaining = $is_refreshed ? array_intersect_key( $this->offered, self::pending() ) : [];
		$result    = [
			'slug'        => Requested_Items::TRANSLATIONS_SLUG,
			'name'        => __( 'Translations', 'steward' ),
			'old_version' => '',
			'new_version' => '',
			'success'     => null === $this->failure && [] === $remaining,
		];
		return $result['success'] ? $result : $result + [ 'error' => $this->describe_failure( $remaining ) ];
	}

	/** @param string[] $remaining Names of language packs that are still pending. */
	private function describe_failure( array $remaining ): string {
		$sentences = array_filter( [ $this->failure ] );
		if ( [] !== $remaining ) {
			$names = implode( ', ', array_slice( $remaining, 0, self::MAX_NAMES ) ) . ( count( $remaining ) > self::MAX_NAMES ? ', …' : '' );
			/* translators: %s: Comma-separated names of language packs. */
			$sentences[] = sprintf( __( 'These translations are still pending: %s.', 'steward' ), $names );
		}
		return implode( ' ', $sentences );
	}

	/** @return array<string, string> */
	private static function pending(): array {
		$pending = [];
		foreach ( wp_get_translation_updates() as $offer ) {
			$identity = [];
			foreach ( [ 'type', 'slug', 'language', 'version', 'updated' ] as $field ) {
				$identity[] = isset( $offer->$field ) && is_scalar( $offer->$field ) ? (string) $offer->$field : '';
			}
			$pending[ implode( "\n", $identity ) ] = sprintf( '%s (%s)', 'default' === $identity[1] ? 'WordPress' : $identity[1], $identity[2] );
		}
		return $pending;
	}

	private function create_upgrader( Quiet_Skin $skin ): Language_Pack_Upgrader {
		return new class( $skin ) extends Language_Pack_Upgrader {
			// WordPress does not delete the unpacked files of a rejected package.
			public function check_package( $source, $remote_source ) {
				$checked = parent::check_package( $source, $remote_source );
				if ( is_wp_error( $checked ) ) {
					$GLOBALS['wp_filesystem']->delete( (string) $remote_source, true );
				}
				return $checked;
			}
		};
	}
}
