<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Panel\License;

defined( 'ABSPATH' ) || exit;

/** POST remote/check: the license has changed, and this site should ask now rather than in half a day. */
final class Check_License {

	public function handle(): array {
		License::check();
		return [ 'success' => true ];
	}
}
