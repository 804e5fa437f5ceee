<?php
/**
 * @package Steward
 */

namespace Steward\Self_Update;

use Steward\Updating\Versions;
use Steward\Watchdog\Call_Signature;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** A version of this plugin that the connected panel has signed. `signed-call.ts` in the contract defines the signed text. */
final class Signed_Version {

	private const MAX_BYTES             = 64 * 1024 * 1024;
	private const MAX_SIGNATURES_LENGTH = 400;

	/** @var string */
	public $version;

	/** @var string SHA-256 of the package in hex. */
	public $sha256;

	/** @var int Size of the package in bytes. */
	public $size;

	private function __construct( string $version, string $sha256, int $size ) {
		$this->version = $version;
		$this->sha256  = $sha256;
		$this->size    = $size;
	}

	/**
	 * Reads an offer or a package description of the panel.
	 *
	 * @param mixed $data Part of the response.
	 * @return self|WP_Error
	 */
	public static function read( $data ) {
		$data     = is_array( $data ) ? $data : [];
		$is_valid = Own_Plugin::SLUG === ( $data['slug'] ?? null )
			&& is_string( $data['version'] ?? null ) && preg_match( '/^\d[\w.+-]{0,63}$/D', $data['version'] )
			&& is_string( $data['sha256'] ?? null ) && preg_match( '/^[0-9a-f]{64}$/D', $data['sha256'] )
			&& is_int( $data['size'] ?? null ) && $data['size'] > 0 && $data['size'] <= self::MAX_BYTES
			&& is_string( $data['signature'] ?? null ) && strlen( $data['signature'] ) <= self::MAX_SIGNATURES_LENGTH;
		if ( ! $is_valid ) {
			return self::error( __( 'The panel sent an invalid description of the Steward plugin.', 'steward' ) );
		}
		if ( ! self::is_signed( $data['version'], $data['sha256'], $data['signature'] ) ) {
			return self::error( __( 'The signature of the new Steward plugin is not from the connected panel. No changes were made.', 'steward' ) );
		}
		return new self( $data['version'], $data['sha256'], $data['size'] );
	}

	/** Returns an error if this version is not newer than the installed one. */
	public function downgrade_error(): ?WP_Error {
		$installed = Own_Plugin::version();
		return Versions::is_older( $installed, $this->version )
			? null
			/* translators: 1: Offered version, 2: installed version. */
			: self::error( sprintf( __( 'The panel offers version %1$s of the Steward plugin, which is not newer than the installed version %2$s. No changes were made.', 'steward' ), $this->version, $installed ) );
	}

	public static function error( string $message ): WP_Error {
		return new WP_Error( 'steward_package', $message );
	}

	private static function is_signed( string $version, string $sha256, string $signatures ): bool {
		$text = implode( "\n", [ 'steward-plugin-v1', Own_Plugin::SLUG, $version, $sha256 ] );
		foreach ( explode( ',', $signatures ) as $signature ) {
			if ( Call_Signature::is_signature_valid( $text, trim( $signature ), Call_Signature::public_key() ) ) {
				return true;
			}
		}
		return false;
	}
}
