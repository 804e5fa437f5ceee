<?php
/**
 * In place of a function that the host has disabled: WordPress calls it in the middle of every update, and PHP 8 ends
 * the update there. Older PHP has it still, and only warns.
 *
 * @package Steward
 */

defined( 'ABSPATH' ) || exit;

if ( PHP_VERSION_ID >= 80000 && ! function_exists( 'set_time_limit' ) ) {
	function set_time_limit( int $seconds ): bool {
		return false;
	}
}
