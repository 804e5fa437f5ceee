<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Automatic_Upgrader_Skin;
use WP_Error;

defined( 'ABSPATH' ) || exit;

require_once ABSPATH . 'wp-admin/includes/class-automatic-upgrader-skin.php';

/** An upgrader skin without output and prompts. Keeps the first error. */
final class Quiet_Skin extends Automatic_Upgrader_Skin {

	/** @var WP_Error|string|null */
	private $first_error = null;

	// Start no buffer: the output guard already buffers and logs the output.
	public function header() {}

	public function footer() {}

	/** @param WP_Error|string $errors Error of the upgrader. */
	public function error( $errors ) {
		$this->first_error = $this->first_error ?? $errors;
	}

	/** @return WP_Error|string|null */
	public function first_error() {
		return $this->first_error;
	}
}
