<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Core_Upgrader;
use Steward\Health\Health_Check;
use Throwable;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Updates core. Succeeds if the new version is on disk, the database is upgraded and the site works. */
final class Core_Update {

	/** Errors of Core_Upgrader before it changes any file. */
	private const UNCHANGED = [ 'locked', 'no_package', 'download_failed', 'incompatible_archive' ];

	/** @var object */
	private $offer;

	/** @var Health_Check */
	private $health;

	/** @var bool */
	private $is_verified = true;

	/** @var string Code of a failure before WordPress changed anything, or ''. */
	private $code = '';

	public function __construct( object $offer, Health_Check $health ) {
		$this->offer  = $offer;
		$this->health = $health;
	}

	/** @return array{new_version: string, success: bool, old_version: string, error?: string, code?: string, verified?: false} */
	public function run(): array {
		$old_version = Installed_Core::version();
		$requirement = Requirements::error( Requirements::of_core( $this->offer ), false );
		if ( null !== $requirement ) {
			return [
				'new_version' => $old_version,
				'old_version' => $old_version,
				'success'     => false,
				'error'       => $requirement->get_error_message(),
				'code'        => (string) $requirement->get_error_code(),
			];
		}
		$this->health->prepare();
		// The upgrader starts maintenance mode, and does not end it after a fatal error.
		register_shutdown_function( [ self::class, 'end_maintenance' ] );
		$failure = $this->upgrade();
		self::end_maintenance();
		$failure = $failure ?? $this->verification_error();
		$result  = [
			'new_version' => Installed_Core::version(),
			'old_version' => $old_version,
		];
		if ( null !== $failure ) {
			$code = $result['new_version'] === $old_version ? $this->code : '';
			return $result + [ 'success' => false, 'error' => $failure ] + ( '' === $code ? [] : [ 'code' => $code ] );
		}
		return $result + [ 'success' => true ] + ( $this->is_verified ? [] : [ 'verified' => false ] );
	}

	public static function end_maintenance(): void {
		if ( is_file( ABSPATH . '.maintenance' ) ) {
			@unlink( ABSPATH . '.maintenance' );
		}
	}

	private function upgrade(): ?string {
		try {
			$result = ( new Core_Upgrader( new Quiet_Skin() ) )->upgrade( $this->offer, [ 'attempt_rollback' => true ] );
		} catch ( Throwable $thrown ) {
			$result = new WP_Error( 'steward_thrown', $thrown->getMessage() );
		}
		// Other errors can also occur while WordPress copies the files.
		if ( is_wp_error( $result ) && in_array( $result->get_error_code(), self::UNCHANGED, true ) ) {
			$this->code = Refusal_Code::of( $result );
		}
		return ! $result || is_wp_error( $result ) ? Plain_Error_Text::from( $result ) : null;
	}

	private function verification_error(): ?string {
		$version = Installed_Core::version();
		if ( $version !== $this->offer->version ) {
			/* translators: 1: Version found, 2: version expected. */
			return sprintf( __( 'After the change, the installed version is %1$s, not %2$s.', 'steward' ), $version, $this->offer->version );
		}
		foreach ( array_merge( [ get_main_site_id() ], Network_Sites::all() ) as $site ) {
			if ( ! $this->upgrade_database( $site ) ) {
				/* translators: %s: Address of a page. */
				return sprintf( __( 'The files are updated, but the database upgrade is not complete. Open %s to finish it.', 'steward' ), get_admin_url( $site, 'upgrade.php' ) );
			}
		}
		$verdict = $this->health->check_after_update( [] );
		if ( ! $verdict->is_verified() ) {
			$this->is_verified = false;
		}
		/* translators: 1: Version, 2: error message. */
		return $verdict->is_broken() ? sprintf( __( 'Version %1$s breaks the site: %2$s', 'steward' ), $version, $verdict->reason() ) : null;
	}

	/**
	 * Returns whether the database of the site is upgraded. WordPress has already tried this for the main site, but
	 * without the HTTP basic authentication of the site.
	 */
	private function upgrade_database( int $site ): bool {
		if ( Installed_Core::needs_database_upgrade( $site ) ) {
			Loopback::request(
				get_admin_url( $site, 'upgrade.php?step=upgrade_db' ),
				[
					'method'  => 'POST',
					'timeout' => 60,
				]
			);
		}
		return ! Installed_Core::needs_database_upgrade( $site );
	}
}
