<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use RuntimeException;

defined( 'ABSPATH' ) || exit;

/** A plugin wants to lead its user elsewhere; the message is where. */
final class Redirected extends RuntimeException {
}
