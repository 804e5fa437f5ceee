<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Panel\License;

defined( 'ABSPATH' ) || exit;

/** POST remote/check: checks the license. The panel calls this after it suspends, resumes, revokes or renews the license. */
final class Check_License {

	public function handle(): array {
		License::check();
		return [ 'success' => true ];
	}
}
