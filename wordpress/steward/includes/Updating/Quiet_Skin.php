<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Automatic_Upgrader_Skin;
use WP_Error;

defined( 'ABSPATH' ) || exit;

require_once ABSPATH . 'wp-admin/includes/class-automatic-upgrader-skin.php';

/** Prints nothing, asks nobody, and remembers the first error. */
final class Quiet_Skin extends Automatic_Upgrader_Skin {

	/** @var WP_Error|string|null */
	private $first_error = null;

	// No buffer of its own: the answer has one already, and what is printed belongs into the log.
	public function header() {}

	public function footer() {}

	/** @param WP_Error|string $errors What went wrong. */
	public function error( $errors ) {
		$this->first_error = $this->first_error ?? $errors;
	}

	/** @return WP_Error|string|null */
	public function first_error() {
		return $this->first_error;
	}
}
