<?php
/**
 * @package Steward
 */

namespace Steward\Actions;

use RuntimeException;

defined( 'ABSPATH' ) || exit;

/** A plugin tries to redirect the user. The message is the target. */
final class Redirected extends RuntimeException {
}
