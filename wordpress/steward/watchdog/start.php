<?php
/**
 * What the watchdog does in every request, before all other plugins.
 *
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

require_once __DIR__ . '/load.php';

Undo::what_died();
Looked_At::begin();
Order::is_asked() && Order::answer();
Remote_Request::watch();
