<?php
/**
 * Plugin Name: Steward Update Guard
 * Description: Restores the previous version of the Steward plugin if its update is interrupted or fails. Steward installs and removes this file.
 * License:     GPL-2.0-or-later
 *
 * Steward copies this file to the must-use plugins before it replaces its own files. The copy must work without any
 * other file of Steward: they may be missing, broken or of another version. So all of its code is in this one file. The
 * .maintenance file also loads the copy, before the database and most of WordPress.
 *
 * The guard restores the previous version in three cases: the update was killed, the guard's own check of the site failed
 * twice, or the panel has sent a signed verdict. A request that fails can only start the check: strangers send requests too.
 *
 * @package Steward
 */

namespace Steward\Guard;

defined( 'ABSPATH' ) || exit;

const MAX_UPDATE_SECONDS = 900;
/** A new version that runs without a fatal error for this time stays. */
const PROBATION_SECONDS = 600;
/** Strangers can start checks, so there is at most one in this time. */
const CHECK_PAUSE_SECONDS = 60;
const PAGE_TIMEOUT_SECONDS = 5;
const TOKEN_LIFETIME_SECONDS = 30;
const CHECK_PARAMETER = 'steward_guard';
const VERDICT_ROUTE = '/service/v1/remote/verdict';
const MAX_VERDICT_BYTES = 4096;
const MAX_CLOCK_SKEW_SECONDS = 300;
const FATAL_ERROR_TYPES = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;

/** First line of a data file: a web server runs the file, and it prints nothing. */
const FIRST_LINE = "<?php exit; ?>\n";

/** Returns the path of a state file, by the same rule as State and State_Name: the folder of an older version comes first. */
function file( string $name ): string {
	$older = WP_CONTENT_DIR . '/steward-' . substr( hash( 'sha256', ( defined( 'AUTH_KEY' ) ? AUTH_KEY : '' ) . ABSPATH ), 0, 16 );
	clearstatcache( true, $older );
	return is_dir( $older ) ? $older . '/' . $name : WP_CONTENT_DIR . '/steward-' . find_name() . '/' . preg_replace( '/\.json$/D', '.php', $name );
}

/** Returns the random part of the folder name, or '' if there is no folder. */
function find_name(): string {
	$stored = WP_CONTENT_DIR . '/steward-state.php';
	if ( is_file( $stored ) && preg_match( '~^exit; // ([0-9a-f]{32})$~m', (string) @file_get_contents( $stored ), $match ) ) {
		return $match[1];
	}
	// The file with the name was deleted: find the last used folder.
	$times = [];
	foreach ( preg_grep( '/^steward-[0-9a-f]{32}$/D', @scandir( WP_CONTENT_DIR ) ?: [] ) as $folder ) {
		$times[ substr( $folder, strlen( 'steward-' ) ) ] = (int) @filemtime( WP_CONTENT_DIR . '/' . $folder );
	}
	arsort( $times );
	return (string) key( $times );
}

function read( string $name ): array {
	$text    = is_file( file( $name ) ) ? (string) @file_get_contents( file( $name ) ) : '';
	$content = json_decode( 0 === strpos( $text, FIRST_LINE ) ? substr( $text, strlen( FIRST_LINE ) ) : $text, true );
	// A copy of a site contains the records of the site, with its paths.
	$is_copied = isset( $content['state_folder'] ) && (string) @realpath( dirname( file( $name ) ) ) !== $content['state_folder'];
	return is_array( $content ) && ! $is_copied ? $content : [];
}

function write( string $name, array $content ): void {
	$file      = file( $name );
	$temporary = dirname( $file ) . '/new-' . basename( $file );
	$text      = ( '.php' === substr( $file, -4 ) ? FIRST_LINE : '' ) . json_encode( $content, JSON_INVALID_UTF8_SUBSTITUTE );
	if ( strlen( $text ) === @file_put_contents( $temporary, $text ) ) {
		@rename( $temporary, $file );
	}
}

/** Returns the Steward plugin from the journal, or null. `backup` is the folder of its previous version. */
function find_journal_item(): ?array {
	foreach ( read( 'in-flight.json' )['items'] ?? [] as $item ) {
		if ( isset( $item['path'], $item['backup'] ) && is_file( $item['backup'] . '/watchdog/guard.php' ) ) {
			return $item;
		}
	}
	return null;
}

/**
 * Acquires the lock of an update that has ended or was killed. The operating system releases it when the process ends.
 *
 * @param string $name   Name of the lock file.
 * @param array  $record Record with the start and the host of the update.
 * @return resource|null Null: the update may still be running.
 */
function acquire_lock( string $name, array $record ) {
	$lock = @fopen( file( $name ), 'ce' );
	if ( false === $lock ) {
		return null;
	}
	$would_block = 0;
	$is_acquired = flock( $lock, LOCK_EX | LOCK_NB, $would_block );
	// On another host, a free lock proves nothing: some file systems do not share locks.
	$is_free   = $is_acquired && ( function_exists( 'gethostname' ) ? (string) gethostname() : '' ) === ( $record['host'] ?? '' );
	$has_ended = ! empty( $record['is_complete'] ) || time() - (int) ( $record['started'] ?? 0 ) > MAX_UPDATE_SECONDS;
	if ( $is_free || ( $has_ended && ! $would_block ) ) {
		return $lock;
	}
	fclose( $lock );
	return null;
}

/** Renames within one file system, which works on a full disk. */
function restore( string $path, string $backup, string $reason ): bool {
	if ( ! is_dir( $backup ) ) {
		return false;
	}
	$broken = dirname( $backup ) . '/broken-' . uniqid();
	if ( file_exists( $path ) && ! @rename( $path, $broken ) ) {
		return false;
	}
	if ( ! @rename( $backup, $path ) ) {
		@rename( $broken, $path );
		return false;
	}
	invalidate_opcache( $path, $broken );
	delete( $broken );
	error_log( "Steward: the update of the Steward plugin $reason; restored its previous version." );
	return true;
}

function restore_from_journal( array $item, string $reason ): void {
	if ( ! restore( $item['path'], $item['backup'], $reason ) ) {
		return;
	}
	$journal          = read( 'in-flight.json' );
	$journal['items'] = array_values(
		array_filter(
			$journal['items'] ?? [],
			static function ( array $other ) use ( $item ): bool {
				return $other['backup'] !== $item['backup'];
			}
		)
	);
	if ( isset( $journal['call'] ) ) {
		// The panel may still send its verdict for this call. This is the response to it.
		write( 'last-verdict.json', [ 'call' => $journal['call'], 'restored' => true ] );
	}
	unset( $journal['call'], $journal['at'], $journal['ticket'], $journal['awaited'] );
	if ( [] === $journal['items'] ) {
		@unlink( file( 'in-flight.json' ) );
		end_maintenance();
	} else {
		write( 'in-flight.json', $journal );
	}
}

function restore_from_record( array $record, string $reason ): void {
	if ( is_dir( $record['backup'] ) && ! restore( $record['path'], $record['backup'], $reason ) ) {
		return;
	}
	@unlink( file( 'own-update.json' ) );
	@unlink( ABSPATH . '.maintenance' );
	reactivate( (string) ( $record['plugin'] ?? '' ), (string) ( $record['activation'] ?? '' ) );
}

/** Activates the plugin again: the update screen of WordPress deactivates a plugin before it replaces the files. */
function reactivate( string $plugin, string $activation ): void {
	if ( '' === $activation || ! function_exists( 'get_option' ) || ! isset( $GLOBALS['wpdb'] ) ) {
		return;
	}
	if ( 'network' === $activation ) {
		update_site_option( 'active_sitewide_plugins', (array) get_site_option( 'active_sitewide_plugins', [] ) + [ $plugin => time() ] );
		return;
	}
	$active = (array) get_option( 'active_plugins', [] );
	if ( ! in_array( $plugin, $active, true ) ) {
		$active[] = $plugin;
		sort( $active );
		update_option( 'active_plugins', $active );
	}
}

function end_maintenance(): void {
	if ( false !== strpos( (string) @file_get_contents( ABSPATH . '.maintenance' ), 'Steward' ) ) {
		@unlink( ABSPATH . '.maintenance' );
	}
}

/** @return string[] All files in a folder, relative to it. */
function list_files( string $folder, string $prefix = '' ): array {
	$files = [];
	foreach ( array_diff( @scandir( $folder . $prefix ) ?: [], [ '.', '..' ] ) as $name ) {
		$path  = $prefix . '/' . $name;
		$files = is_dir( $folder . $path ) && ! is_link( $folder . $path ) ? array_merge( $files, list_files( $folder, $path ) ) : array_merge( $files, [ $path ] );
	}
	return $files;
}

/** Removes both versions from the opcache: otherwise pages would run the failed version for some seconds. */
function invalidate_opcache( string $path, string $moved ): void {
	clearstatcache( true );
	foreach ( array_unique( array_merge( list_files( $path ), list_files( $moved ) ) ) as $name ) {
		if ( '.php' === substr( $name, -4 ) ) {
			is_file( $path . $name ) && @touch( $path . $name );
			function_exists( 'opcache_invalidate' ) && '' === (string) ini_get( 'opcache.restrict_api' ) && @opcache_invalidate( $path . $name, true );
		}
	}
}

function delete( string $folder ): void {
	foreach ( array_diff( @scandir( $folder ) ?: [], [ '.', '..' ] ) as $name ) {
		$path = $folder . '/' . $name;
		is_dir( $path ) && ! is_link( $path ) ? delete( $path ) : @unlink( $path );
	}
	@rmdir( $folder );
}

/**
 * Returns the fatal error of this request, or null. Remembers it: later notices replace it in error_get_last(), for
 * example while WordPress builds its error page, before our shutdown function.
 *
 * @return array{type: int, message: string, file: string}|null
 */
function find_fatal_error(): ?array {
	static $fatal = null;
	$error        = error_get_last();
	if ( null === $fatal && null !== $error && $error['type'] & FATAL_ERROR_TYPES ) {
		$fatal = $error;
	}
	return $fatal;
}

/**
 * Filter that WordPress applies while it handles a fatal error.
 *
 * @param mixed $value Returned unchanged.
 */
function record_fatal_error( $value ) {
	find_fatal_error();
	return $value;
}

/** Whether a fatal error of the Steward plugin ends this request. A lack of memory or time does not count. */
function has_failed( string $path ): bool {
	$error = find_fatal_error();
	if ( null === $error || preg_match( '/^(Allowed memory size|Out of memory|Maximum execution time)/', $error['message'] ) ) {
		return false;
	}
	// WordPress calls the callbacks of hooks, so it is the place of this error.
	if ( preg_match( '/^.* must be a valid callback, .*\bSteward\\\\/', $error['message'] ) ) {
		return true;
	}
	// Read only the place of the error and its direct caller: other functions of the backtrace did not fail.
	$text = str_replace( '\\', '/', $error['file'] . "\n" . explode( "\n#1 ", $error['message'] )[0] );
	foreach ( array_filter( [ $path, (string) @realpath( $path ) ] ) as $folder ) {
		if ( false !== strpos( $text, str_replace( '\\', '/', $folder ) . '/' ) ) {
			return true;
		}
	}
	return false;
}

/** Returns the folder of the new version: on probation, or while the panel decides about it. Null: none. */
function find_new_version(): ?string {
	$record = read( 'own-update.json' );
	if ( isset( $record['path'], $record['backup'] ) && ! empty( $record['is_complete'] ) ) {
		return $record['path'];
	}
	$item = isset( read( 'in-flight.json' )['call'] ) ? find_journal_item() : null;
	return $item['path'] ?? null;
}

/** Shutdown function: starts a check if the new version ended this request, or ends the probation. */
function finish(): void {
	$path = find_new_version();
	if ( null === $path ) {
		return;
	}
	$has_failed = has_failed( $path );
	if ( null !== find_check_token() ) {
		write( 'guard-seen.json', [ 'token' => find_check_token(), 'has_failed' => $has_failed ] );
		return;
	}
	$record = read( 'own-update.json' );
	if ( $has_failed ) {
		check_site();
	} elseif ( [] !== $record && time() - (int) $record['started'] > PROBATION_SECONDS && function_exists( 'did_action' ) && did_action( 'wp_loaded' ) ) {
		end_probation( $record );
	}
}

function end_probation( array $record ): void {
	$lock = acquire_lock( 'own-update.lock', $record );
	if ( null !== $lock && [] !== read( 'own-update.json' ) ) {
		@unlink( file( 'own-update.json' ) );
		delete( $record['backup'] );
	}
}

/**
 * Checks the site and restores the previous version if the new one fails twice. One check at a time, and at most one a
 * minute. If the site cannot open its own pages, the panel decides.
 */
function check_site(): void {
	$lock = @fopen( file( 'guard-check.lock' ), 'ce' );
	if ( false === $lock || ! function_exists( 'wp_remote_request' ) ) {
		return;
	}
	$is_checking = 0;
	$is_locked   = flock( $lock, LOCK_EX | LOCK_NB, $is_checking );
	$last        = read( 'guard-check.json' );
	if ( ( ! $is_locked && $is_checking ) || abs( time() - (int) ( $last['at'] ?? 0 ) ) < CHECK_PAUSE_SECONDS ) {
		return;
	}
	// The panel can order a rollback only if a request failed in the folder of the new version.
	write( 'guard-check.json', [ 'at' => time(), 'has_failed' => true ] );
	ignore_user_abort( true );
	function_exists( 'fastcgi_finish_request' ) && fastcgi_finish_request();
	if ( has_failed_twice() ) {
		restore_previous_version( 'caused a fatal error' );
	}
}

/** Opens three pages as a visitor: a page of the site, the admin area and the endpoint of the panel. */
function has_failed_twice(): bool {
	$home  = get_home_url( get_main_site_id(), '/' );
	$pages = [
		[ 'GET', $home ],
		[ 'GET', get_admin_url( get_main_site_id(), 'admin-ajax.php' ) ],
		[ 'POST', add_query_arg( 'rest_route', '/service/v1/remote/sync', $home ) ],
	];
	foreach ( $pages as [ $method, $url ] ) {
		// A page cache or a login of the web server may keep one of the requests from this file, so each page counts for itself.
		if ( has_page_failed( $method, $url ) && has_page_failed( $method, $url ) ) {
			return true;
		}
	}
	return false;
}

/** Whether the new version ends the request with a fatal error. Null: the request did not reach this file. */
function has_page_failed( string $method, string $url ): ?bool {
	$token = bin2hex( random_bytes( 24 ) );
	$terms = [ 'token' => hash( 'sha256', $token ), 'until' => time() + TOKEN_LIFETIME_SECONDS, 'page' => $method . normalize_page( $url ) ];
	write( 'guard-check.json', $terms + read( 'guard-check.json' ) );
	$headers = isset( $_SERVER['PHP_AUTH_USER'], $_SERVER['PHP_AUTH_PW'] ) ? [ 'Authorization' => 'Basic ' . base64_encode( $_SERVER['PHP_AUTH_USER'] . ':' . $_SERVER['PHP_AUTH_PW'] ) ] : [];
	wp_remote_request(
		add_query_arg( CHECK_PARAMETER, $token, $url ),
		[
			'method'      => $method,
			'timeout'     => PAGE_TIMEOUT_SECONDS,
			'redirection' => 0,
			'sslverify'   => false,
			'user-agent'  => 'Steward; ' . $url,
			'headers'     => $headers,
		]
	);
	clearstatcache( true );
	$seen = read( 'guard-seen.json' );
	@unlink( file( 'guard-seen.json' ) );
	return ( $seen['token'] ?? '' ) === $terms['token'] ? ! empty( $seen['has_failed'] ) : null;
}

/** Returns path and query without the token, in the same form for a URL and for the address of a request. */
function normalize_page( string $url ): string {
	$page = (string) preg_replace( '~^https?://[^/?#]*|(?<=[?&])' . CHECK_PARAMETER . '=[^&#]*&?~i', '', $url );
	return str_replace( '/index.php', '/', '/' . ltrim( rtrim( rawurldecode( $page ), '?&' ), '/' ) );
}

/**
 * Returns the hash of the token if this request belongs to a check, otherwise null. The token is for one page: if the
 * address of a site depends on the request, a stranger can make the guard send it to another host.
 */
function find_check_token(): ?string {
	static $found = false;
	if ( false === $found ) {
		$token = $_GET[ CHECK_PARAMETER ] ?? '';
		$check = is_string( $token ) && 48 === strlen( $token ) ? read( 'guard-check.json' ) : [];
		$page  = ( $_SERVER['REQUEST_METHOD'] ?? '' ) . normalize_page( (string) ( $_SERVER['REQUEST_URI'] ?? '' ) );
		$found = isset( $check['token'], $check['until'], $check['page'] ) && time() <= $check['until'] && $page === $check['page'] && hash_equals( $check['token'], hash( 'sha256', $token ) ) ? $check['token'] : null;
	}
	return $found;
}

/**
 * Stops WordPress from sending an e-mail about the error that the check finds, from running jobs, and from caching the
 * page. Loads the new version also if it is inactive: the update screen of WordPress activates it again only if it works.
 */
function prepare_check(): void {
	foreach ( [ 'WP_SANDBOX_SCRAPING', 'DISABLE_WP_CRON', 'DONOTCACHEPAGE' ] as $name ) {
		defined( $name ) || define( $name, true );
	}
	if ( ! function_exists( 'add_filter' ) ) {
		return;
	}
	[ 'plugin' => $plugin, 'activation' => $activation ] = read( 'own-update.json' ) + [ 'plugin' => '', 'activation' => '' ];
	if ( 'network' === $activation ) {
		add_filter(
			'site_option_active_sitewide_plugins',
			static function ( $active ) use ( $plugin ): array {
				return (array) $active + [ $plugin => time() ];
			}
		);
	} elseif ( 'site' === $activation ) {
		add_filter(
			'option_active_plugins',
			static function ( $active ) use ( $plugin ): array {
				return array_unique( array_merge( (array) $active, [ $plugin ] ) );
			}
		);
	}
}

/** Restores the previous version. Returns false if an update is running or nothing is left to restore. */
function restore_previous_version( string $reason ): bool {
	$record = read( 'own-update.json' );
	if ( isset( $record['path'], $record['backup'] ) ) {
		$lock = acquire_lock( 'own-update.lock', $record );
		// Read the record again: another request may have restored the plugin meanwhile.
		if ( null === $lock || [] === read( 'own-update.json' ) ) {
			return false;
		}
		write( 'own-failed.json', [ 'version' => (string) ( $record['version'] ?? '' ) ] );
		restore_from_record( $record, $reason );
		return [] === read( 'own-update.json' );
	}
	$lock = acquire_lock( 'lock', read( 'in-flight.json' ) );
	$item = null === $lock ? null : find_journal_item();
	if ( null === $item ) {
		return false;
	}
	restore_from_journal( $item, $reason );
	return null === find_journal_item();
}

/**
 * Restores the previous version if this request is a signed verdict of the panel that the new version is broken. All
 * other verdicts are for the watchdog.
 */
function handle_verdict(): void {
	$path = find_new_version();
	if ( null === $path || ! is_verdict_request() ) {
		return;
	}
	$text = (string) file_get_contents( 'php://input', false, null, 0, MAX_VERDICT_BYTES );
	$body = json_decode( $text, true );
	if ( ! is_array( $body ) || 'broken' !== ( $body['verdict'] ?? '' ) || ! is_awaited( $body, $path ) || ! is_signed( $text ) ) {
		return;
	}
	$is_restored = restore_previous_version( 'broke the site' );
	http_response_code( $is_restored ? 200 : 409 );
	header( 'Content-Type: application/json; charset=UTF-8' );
	header( 'Cache-Control: no-store' );
	echo json_encode( $is_restored ? [ 'success' => true, 'restored' => true ] : [ 'success' => false, 'error' => 'Another update or action is running on this site.', 'code' => 'site_busy' ] );
	exit;
}

function is_verdict_request(): bool {
	$route = $_GET['rest_route'] ?? '';
	$path  = rawurldecode( (string) strtok( (string) ( $_SERVER['REQUEST_URI'] ?? '' ), '?' ) );
	return 'POST' === ( $_SERVER['REQUEST_METHOD'] ?? '' ) && ( false !== stripos( $path, VERDICT_ROUTE ) || ( is_string( $route ) && 0 === stripos( $route, VERDICT_ROUTE ) ) );
}

/** Whether the verdict is about the update that waits for it, or about the installed version, which has failed before. */
function is_awaited( array $body, string $path ): bool {
	$call = read( 'in-flight.json' )['call'] ?? null;
	if ( is_string( $call ) && is_string( $body['call'] ?? null ) && hash_equals( $call, $body['call'] ) ) {
		return true;
	}
	$header = (string) @file_get_contents( $path . '/steward.php', false, null, 0, 8192 );
	return ! empty( read( 'guard-check.json' )['has_failed'] )
		&& preg_match( '/^[ \t\/*#@]*Version:\s*(\S+)/mi', $header, $match )
		&& ( $body['plugin_version'] ?? null ) === $match[1];
}

/** Verifies the signature with the keys that the previous version has stored, because its code may be gone. */
function is_signed( string $text ): bool {
	$keys      = read( 'guard-keys.json' );
	$timestamp = (string) ( $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '' );
	$nonce     = (string) ( $_SERVER['HTTP_X_SERVICE_NONCE'] ?? '' );
	$key       = (string) base64_decode( (string) ( $keys['panel_key'] ?? '' ), true );
	if ( 32 !== strlen( $key ) || ! preg_match( '/^\d{1,12}$/D', $timestamp ) || ! preg_match( '/^[0-9a-f]{32}$/D', $nonce ) || abs( time() - (int) $timestamp ) > MAX_CLOCK_SKEW_SECONDS || ! function_exists( 'sodium_crypto_sign_verify_detached' ) ) {
		return false;
	}
	$signed = implode( "\n", [ 'steward-call-v1', 'POST', VERDICT_ROUTE, (string) ( $keys['site_url'] ?? '' ), $timestamp, $nonce, hash( 'sha256', $text ) ] );
	foreach ( array_slice( explode( ',', (string) ( $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '' ) ), 0, 4 ) as $signature ) {
		$signature = (string) base64_decode( trim( $signature ), true );
		if ( 64 === strlen( $signature ) && sodium_crypto_sign_verify_detached( $signature, $signed, $key ) ) {
			return true;
		}
	}
	return false;
}

/** Restores the previous version after a killed update, and watches the new version. */
function run(): void {
	handle_verdict();
	$item = find_journal_item();
	if ( null !== $item ) {
		$journal = read( 'in-flight.json' );
		$lock    = isset( $journal['call'] ) ? null : acquire_lock( 'lock', $journal );
		$item    = null === $lock ? null : find_journal_item();
		null === $item || restore_from_journal( $item, 'was interrupted' );
	}
	$record = read( 'own-update.json' );
	if ( isset( $record['path'], $record['backup'] ) && empty( $record['is_complete'] ) ) {
		$lock   = acquire_lock( 'own-update.lock', $record );
		$record = null === $lock ? [] : read( 'own-update.json' );
		empty( $record['backup'] ) || ! empty( $record['is_complete'] ) || restore_from_record( $record, 'was interrupted' );
	}
	if ( [] === read( 'own-update.json' ) && [] === read( 'in-flight.json' ) ) {
		remove_unused();
		return;
	}
	if ( null !== find_check_token() ) {
		prepare_check();
	}
	if ( function_exists( 'add_filter' ) ) {
		// The error handler of WordPress runs before our shutdown function, and applies these filters.
		add_filter( 'locale', __NAMESPACE__ . '\\record_fatal_error' );
		add_filter( 'wp_php_error_args', __NAMESPACE__ . '\\record_fatal_error' );
	}
	register_shutdown_function( __NAMESPACE__ . '\\finish' );
}

/**
 * Deletes this file if no update needs it. A remote update installs this file only while it holds the lock. An update by
 * WordPress writes its record first.
 */
function remove_unused(): void {
	$lock = @fopen( file( 'lock' ), 'ce' );
	// Without the folder, which an administrator may have deleted, there is nothing to restore.
	if ( ! is_dir( dirname( file( 'lock' ) ) ) || ( false !== $lock && flock( $lock, LOCK_EX | LOCK_NB ) ) ) {
		@unlink( __FILE__ );
	}
}

try {
	run();
} catch ( \Throwable $steward_error ) {
	// This code runs in every request: its errors must not break the site.
	error_log( 'Steward: ' . $steward_error->getMessage() );
}
