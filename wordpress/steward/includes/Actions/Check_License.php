<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use Steward\Panel\Error_Report;
use Steward\Panel\License;

defined( 'ABSPATH' ) || exit;

/**
 * POST remote/check: checks the license, and reports new errors. The panel calls this after it suspends, resumes, revokes or
 * renews the license, and when it observes the site after an update.
 */
final class Check_License {

	public function handle(): array {
		License::check();
		Error_Report::send_if_due();
		return [ 'success' => true ];
	}
}
