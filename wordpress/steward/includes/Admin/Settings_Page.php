<?php
/**
 * @package Steward
 */

namespace Steward\Admin;

use Steward\Connection;
use Steward\Panel\Enrolment_Code;
use Steward\Watchdog\Call_Signature;

defined( 'ABSPATH' ) || exit;

/** Settings → Steward: connects this site, shows its license, and turns remote management on and off. */
final class Settings_Page {

	const SLUG = 'steward';

	public function register(): void {
		add_action( 'admin_menu', [ $this, 'add_to_menu' ] );
		add_filter( 'plugin_action_links_' . plugin_basename( \Steward\PLUGIN_FILE ), [ $this, 'add_link' ] );
		( new Settings_Forms() )->register();
	}

	/** A connected panel can change plugins, so only users who may do the same can connect a site. */
	public static function capability(): string {
		return is_multisite() ? 'manage_network_plugins' : 'activate_plugins';
	}

	public static function url(): string {
		return admin_url( 'options-general.php?page=' . self::SLUG );
	}

	public function add_to_menu(): void {
		add_options_page(
			__( 'Steward', 'steward' ),
			__( 'Steward', 'steward' ),
			self::capability(),
			self::SLUG,
			[ $this, 'render' ]
		);
	}

	public function add_link( array $links ): array {
		array_unshift( $links, sprintf( '<a href="%s">%s</a>', esc_url( self::url() ), esc_html__( 'Settings', 'steward' ) ) );
		return $links;
	}

	public function render(): void {
		?>
		<div class="wrap">
			<h1><?php esc_html_e( 'Steward', 'steward' ); ?></h1>
			<?php
			Flash::show();
			if ( Connection::is_connected() ) {
				$this->render_connected();
			} else {
				$this->render_enrolment_error();
				echo '<p>' . esc_html( $this->connect_instructions() ) . '</p>';
				$this->render_connect_form( __( 'Connect', 'steward' ) );
			}
			?>
		</div>
		<?php
	}

	private function render_enrolment_error(): void {
		$error = Enrolment_Code::error();
		if ( '' !== $error ) {
			$next_step = Enrolment_Code::is_pending()
				? __( 'Steward tries again automatically.', 'steward' )
				: __( 'To try again, deactivate and activate the plugin, or connect the site below.', 'steward' );
			/* translators: 1: Reason, a sentence. 2: Next step, a sentence. */
			printf( '<div class="notice notice-error inline" id="steward-enrolment"><p>%s</p></div>', esc_html( sprintf( __( 'This site could not be connected with its enrolment code. %1$s %2$s', 'steward' ), $error, $next_step ) ) );
		}
	}

	private function connect_instructions(): string {
		return '' === Suggested_Panel::url()
			? __( 'Connect this site to a Steward panel. You get the address and the license key from the operator of the panel.', 'steward' )
			: __( 'Paste the license key to connect this site. The address is already set to the panel you downloaded this plugin from.', 'steward' );
	}

	private function render_connected(): void {
		if ( Connection::has_moved() ) {
			printf(
				'<div class="notice notice-warning inline" id="steward-moved"><p>%s</p></div>',
				esc_html(
					sprintf(
						/* translators: 1: Address the license was activated for, 2: address of this site. */
						__( 'The license was activated for %1$s, but this site is now at %2$s. Enter the license key below to connect this address.', 'steward' ),
						Connection::state()['site_url'],
						Connection::site_url()
					)
				)
			);
		}
		if ( 0 === strpos( Connection::site_url(), 'http:' ) ) {
			echo '<div class="notice notice-warning inline" id="steward-http"><p>' . esc_html__( 'This site uses http, so calls from the panel and the site key are not encrypted. Move the site to https.', 'steward' ) . '</p></div>';
		}
		$error = Connection::state()['endpoint_fault'];
		if ( '' !== $error ) {
			/* translators: %s: Reason and next step, one or more sentences. */
			printf( '<div class="notice notice-warning inline" id="steward-not-reached"><p>%s</p></div>', esc_html( sprintf( __( 'The license is active, but the panel cannot reach this site to manage it. %s Then press Check now.', 'steward' ), $error ) ) );
		}
		echo '<h2>' . esc_html__( 'License', 'steward' ) . '</h2><table class="widefat striped" style="max-width:720px;margin-bottom:1em"><tbody>';
		foreach ( License_Summary::rows() as $id => [ $label, $value ] ) {
			printf( '<tr><th scope="row" style="width:180px;font-weight:600">%s</th><td id="steward-%s">%s</td></tr>', esc_html( $label ), esc_attr( $id ), esc_html( $value ) );
		}
		echo '</tbody></table>';
		$this->render_button( 'check', __( 'Check now', 'steward' ) );

		echo '<h2>' . esc_html__( 'Remote management', 'steward' ) . '</h2>';
		$this->render_remote();
		if ( Call_Signature::is_required() ) {
			$this->render_unsigned();
		}
		Login_Settings::render();

		echo '<h2>' . esc_html__( 'Connection', 'steward' ) . '</h2>';
		echo '<p>' . esc_html__( 'Disconnecting frees the license seat of this site.', 'steward' ) . '</p>';
		$this->render_button( 'disconnect', __( 'Disconnect', 'steward' ) );
		if ( Flash::offers_forgetting() ) {
			$this->render_button( 'forget', __( 'Forget the connection without freeing the seat', 'steward' ) );
		}
		echo '<details style="margin-top:1em"><summary>' . esc_html__( 'Use another panel or license key', 'steward' ) . '</summary>';
		$this->render_connect_form( __( 'Connect again', 'steward' ) );
		echo '</details>';
	}

	private function render_remote(): void {
		if ( Connection::is_remote_off() ) {
			echo '<p>' . esc_html__( 'Off. The panel cannot change anything on this site.', 'steward' ) . '</p>';
			$this->render_button( 'remote_on', __( 'Turn on remote management', 'steward' ) );
		} elseif ( Connection::is_remote_enabled() ) {
			echo '<p>' . esc_html__( 'On. The panel can install, update and restore plugins and themes, update WordPress, and activate, deactivate and delete plugins.', 'steward' ) . '</p>';
			$this->render_button( 'remote_off', __( 'Turn off remote management', 'steward' ) );
		} else {
			echo '<p>' . esc_html__( 'Off. The license is not valid, or does not include remote management.', 'steward' ) . '</p>';
		}
	}

	private function render_unsigned(): void {
		if ( Call_Signature::accepts_unsigned() ) {
			echo '<div class="notice notice-warning inline" id="steward-unsigned"><p>' . esc_html__( 'This site accepts unsigned calls: anyone with the site key can change its plugins.', 'steward' ) . '</p></div>';
			$this->render_button( 'unsigned_off', __( 'Refuse unsigned calls', 'steward' ) );
			return;
		}
		echo '<details style="margin-top:1em"><summary>' . esc_html__( 'Calls from other programs', 'steward' ) . '</summary>';
		echo '<p>' . esc_html__( 'By default this site accepts only calls that the panel has signed. Accept unsigned calls only if one of your own programs cannot sign its calls. Then only the site key protects this site. The panel records this change.', 'steward' ) . '</p>';
		$this->render_button( 'unsigned_on', __( 'Accept unsigned calls', 'steward' ) );
		echo '</details>';
	}

	private function render_connect_form( string $label ): void {
		?>
		<form method="post" action="<?php echo esc_url( admin_url( 'admin-post.php' ) ); ?>">
			<?php Settings_Forms::print_hidden_fields( 'connect' ); ?>
			<table class="form-table" role="presentation"><tbody>
				<tr>
					<th scope="row"><label for="steward-panel-url"><?php esc_html_e( 'Panel address', 'steward' ); ?></label></th>
					<td><input type="text" inputmode="url" class="regular-text code" id="steward-panel-url" name="panel_url" required
						placeholder="https://panel.example.com" value="<?php echo esc_attr( Flash::prefilled_panel_url() ); ?>"></td>
				</tr>
				<tr>
					<th scope="row"><label for="steward-license-key"><?php esc_html_e( 'License key', 'steward' ); ?></label></th>
					<td><input type="text" class="regular-text code" id="steward-license-key" name="license_key" required
						autocomplete="off" spellcheck="false" placeholder="STWD-…"></td>
				</tr>
			</tbody></table>
			<?php submit_button( $label ); ?>
		</form>
		<?php
	}

	private function render_button( string $form, string $label ): void {
		printf( '<form method="post" action="%s" style="display:inline-block;margin-right:8px">', esc_url( admin_url( 'admin-post.php' ) ) );
		Settings_Forms::print_hidden_fields( $form );
		printf( '<button class="button" id="steward-button-%s">%s</button></form>', esc_attr( $form ), esc_html( $label ) );
	}
}
