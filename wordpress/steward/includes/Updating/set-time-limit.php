<?php
/**
 * Defines set_time_limit() if the host has disabled it. WordPress calls it in every update, which is a fatal error in
 * PHP 8 and only a warning in older versions.
 *
 * @package Steward
 */

defined( 'ABSPATH' ) || exit;

if ( PHP_VERSION_ID >= 80000 && ! function_exists( 'set_time_limit' ) ) {
	function set_time_limit( int $seconds ): bool {
		return false;
	}
}
