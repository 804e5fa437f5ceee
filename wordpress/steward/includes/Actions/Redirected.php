<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use RuntimeException;

defined( 'ABSPATH' ) || exit;

/** Thrown when a plugin tries to redirect during activation. The message is the target address. */
final class Redirected extends RuntimeException {
}
