<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Panel\License;

defined( 'ABSPATH' ) || exit;

/** POST remote/check: checks the license. The panel calls this after a change of the license. */
final class Check_License {

	public function handle(): array {
		License::check();
		return [ 'success' => true ];
	}
}
