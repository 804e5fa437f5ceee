<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Updating\Health_Check;
use Steward\Updating\Installed_Plugins;
use Throwable;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Switches a plugin on, as WordPress does it. One that WordPress refuses, or that breaks the site, is off again afterwards. */
final class Activate_Plugin implements Action, Ends_Early {

	private const LONGEST_OUTPUT = 200;

	/** @var string[] */
	private $warnings = [];

	/** @var Health_Check */
	private $health;

	public function __construct() {
		$this->health = new Health_Check();
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
			return new WP_Error( 'steward_requires', sprintf( __( 'It requires plugins that are not active: %s.', 'steward' ), implode( ', ', $missing ) ) );
		}
		$this->health->remember();
		return $this->judge( $plugin, $this->activate( $plugin ) );
	}

	public function after_exit( string $plugin, ?string $fatal ) {
		if ( null !== $fatal ) {
			return $this->judge( $plugin, new WP_Error( 'steward_fatal', $fatal ) );
		}
		$this->warnings[] = __( 'It ended the request in which it was activated.', 'steward' );
		return $this->judge( $plugin, null );
	}

	/** @return array|WP_Error */
	private function judge( string $plugin, ?WP_Error $failure ) {
		wp_cache_delete( 'alloptions', 'options' );
		if ( null === $failure && ! Installed_Plugins::is_active( $plugin ) ) {
			$failure = new WP_Error( 'steward_inactive', trim( __( 'The plugin is still inactive.', 'steward' ) . ' ' . implode( ' ', $this->warnings ) ) );
		}
		$verdict = null === $failure ? $this->health->verdict_on_switch() : null;
		if ( null !== $verdict && $verdict->is_broken() ) {
			/* translators: %s: Error message. */
			$failure = new WP_Error( 'steward_breaks', sprintf( __( 'It breaks the site: %s', 'steward' ), $verdict->reason() ) );
		}
		if ( null !== $failure ) {
			deactivate_plugins( [ $plugin ], true );
			return $failure;
		}
		return ( $verdict->is_verified() ? [] : [ 'verified' => false ] ) + ( [] === $this->warnings ? [] : [ 'warnings' => $this->warnings ] );
	}

	/** Gives what speaks against it. That the plugin prints something, or leads its user elsewhere, does not. */
	private function activate( string $plugin ): ?WP_Error {
		$level = ob_get_level();
		add_filter( 'wp_redirect', [ $this, 'stop_at_redirect' ], PHP_INT_MAX );
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
				/* translators: %s: What a plugin printed. */
				$this->warnings[] = sprintf( __( 'It printed while it was activated: %s', 'steward' ), wp_html_excerpt( $printed, self::LONGEST_OUTPUT, '…' ) );
			}
			return null;
		} catch ( Redirected $redirected ) {
			/* translators: %s: Address of a page. */
			$this->warnings[] = sprintf( __( 'It leads to %s after it was activated.', 'steward' ), $redirected->getMessage() );
			return null;
		} catch ( Throwable $thrown ) {
			return new WP_Error( 'steward_thrown', $thrown->getMessage() );
		} finally {
			remove_filter( 'wp_redirect', [ $this, 'stop_at_redirect' ], PHP_INT_MAX );
			// WordPress leaves its buffer open when the plugin throws.
			while ( ob_get_level() > $level ) {
				ob_end_flush();
			}
		}
	}

	/**
	 * A plugin that leads its user to a page of greeting ends the request next, and this answer with it.
	 *
	 * @param string $location Where to.
	 * @throws Redirected Always.
	 */
	public function stop_at_redirect( $location ): void {
		throw new Redirected( (string) $location );
	}
}
