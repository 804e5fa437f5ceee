<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Panel\Capabilities;

defined( 'ABSPATH' ) || exit;

/**
 * For a site that cannot open its own pages: it asks the panel to look at it, and the panel calls again once it has
 * seen how things are before the change.
 */
final class Outside_Look {

	private const ASKED   = 'steward_outside_look';
	private const SECONDS = 5 * MINUTE_IN_SECONDS;

	public static function is_known(): bool {
		return Capabilities::panel_has( Capabilities::OUTSIDE_LOOK );
	}

	/** True for the call that follows such a request. */
	public static function was_asked_for(): bool {
		if ( get_transient( self::ASKED ) ) {
			delete_transient( self::ASKED );
			return true;
		}
		set_transient( self::ASKED, 1, self::SECONDS );
		return false;
	}
}
