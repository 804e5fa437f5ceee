<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Panel\License;

defined( 'ABSPATH' ) || exit;

/** POST remote/check: the license has changed, so this site checks it now and not at the next check-in. */
final class Check_License {

	public function handle(): array {
		License::check();
		return [ 'success' => true ];
	}
}
