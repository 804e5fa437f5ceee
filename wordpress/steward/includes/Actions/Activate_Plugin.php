<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Health\Health_Check;
use Steward\Updating\Installed_Plugins;
use Throwable;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Activates a plugin. Deactivates it again if WordPress refuses it or if it breaks the site. */
final class Activate_Plugin implements Action, Handles_Exit {

	private const MAX_OUTPUT_LENGTH = 200;

	/** @var string[] */
	private $warnings = [];

	/** @var Health_Check */
	private $health;

	public function __construct( Health_Check $health ) {
		$this->health = $health;
	}

	public function changes_files(): bool {
		return false;
	}

	public function run( string $plugin ) {
		if ( Installed_Plugins::is_active( $plugin ) ) {
			return [];
		}
		$missing = Installed_Plugins::missing_requirements( WP_PLUGIN_DIR . '/' . $plugin );
		if ( [] !== $missing ) {
			/* translators: %s: Comma-separated names of plugins. */
			return new WP_Error( 'steward_requires', sprintf( __( 'This plugin requires plugins that are not active: %s.', 'steward' ), implode( ', ', $missing ) ) );
		}
		$this->health->prepare_switch();
		return $this->verify_or_deactivate( $plugin, $this->activate( $plugin ) );
	}

	public function after_exit( string $plugin, ?string $fatal ) {
		if ( null !== $fatal ) {
			return $this->verify_or_deactivate( $plugin, new WP_Error( 'steward_fatal', $fatal ) );
		}
		$this->warnings[] = __( 'The plugin ended the request during activation.', 'steward' );
		return $this->verify_or_deactivate( $plugin, null );
	}

	/** @return array|WP_Error */
	private function verify_or_deactivate( string $plugin, ?WP_Error $failure ) {
		wp_cache_delete( 'alloptions', 'options' );
		if ( null === $failure && ! Installed_Plugins::is_active( $plugin ) ) {
			$failure = new WP_Error( 'steward_inactive', trim( __( 'The plugin is still inactive.', 'steward' ) . ' ' . implode( ' ', $this->warnings ) ) );
		}
		$verdict = null === $failure ? $this->health->check_after_switch() : null;
		if ( null !== $verdict && $verdict->is_broken() ) {
			/* translators: %s: Error message. */
			$failure = new WP_Error( 'steward_breaks', sprintf( __( 'The plugin breaks the site: %s', 'steward' ), $verdict->reason() ) );
		}
		if ( null !== $failure ) {
			deactivate_plugins( [ $plugin ], true );
			return $failure;
		}
		return ( $verdict->is_verified() ? [] : [ 'verified' => false ] ) + ( [] === $this->warnings ? [] : [ 'warnings' => $this->warnings ] ) + $this->health->describe();
	}

	/** Returns the activation error. Printed output and redirects are only warnings. */
	private function activate( string $plugin ): ?WP_Error {
		$level = ob_get_level();
		add_filter( 'wp_redirect', [ $this, 'intercept_redirect' ], PHP_INT_MAX );
		try {
			$result = activate_plugin( $plugin );
			if ( ! is_wp_error( $result ) ) {
				return null;
			}
			if ( 'unexpected_output' !== $result->get_error_code() ) {
				return $result;
			}
			$printed = trim( wp_strip_all_tags( (string) $result->get_error_data() ) );
			if ( '' !== $printed ) {
				/* translators: %s: Output of a plugin. */
				$this->warnings[] = sprintf( __( 'The plugin printed output during activation: %s', 'steward' ), wp_html_excerpt( $printed, self::MAX_OUTPUT_LENGTH, '…' ) );
			}
			return null;
		} catch ( Redirected $redirected ) {
			/* translators: %s: Address of a page. */
			$this->warnings[] = sprintf( __( 'The plugin redirects to %s after activation.', 'steward' ), $redirected->getMessage() );
			return null;
		} catch ( Throwable $thrown ) {
			return new WP_Error( 'steward_thrown', $thrown->getMessage() );
		} finally {
			remove_filter( 'wp_redirect', [ $this, 'intercept_redirect' ], PHP_INT_MAX );
			// WordPress leaves its buffer open if the plugin throws.
			while ( ob_get_level() > $level ) {
				ob_end_flush();
			}
		}
	}

	/**
	 * Stops a redirect, such as to a welcome page: the plugin would call exit next and end our response.
	 *
	 * @param string $location Target of the redirect.
	 * @throws Redirected Always.
	 */
	public function intercept_redirect( $location ): void {
		throw new Redirected( (string) $location );
	}
}
