<?php
/**
 * Replaces a function that the host has disabled. WordPress calls it in every update, and PHP 8 throws a fatal error.
 * Older PHP versions only show a warning.
 *
 * @package Steward
 */

defined( 'ABSPATH' ) || exit;

if ( PHP_VERSION_ID >= 80000 && ! function_exists( 'set_time_limit' ) ) {
	function set_time_limit( int $seconds ): bool {
		return false;
	}
}
