<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * POST remote/verdict: the verdict of the panel after an outside check, for sites that cannot open their own pages.
 *
 * Responds before other plugins are loaded: the updated plugin may have broken the REST API.
 */
final class Verdict_Endpoint {

	private const PATH              = '/service/v1/remote/verdict';
	private const MAX_BODY_BYTES    = 4096;
	private const LAST_VERDICT_FILE = 'last-verdict.json';

	public static function is_requested(): bool {
		return 'POST' === ( $_SERVER['REQUEST_METHOD'] ?? '' ) && Remote_Request::is_request_for( self::PATH );
	}

	public static function respond(): void {
		[ $status, $body ] = self::handle();
		http_response_code( $status );
		header( 'Content-Type: application/json; charset=UTF-8' );
		header( 'Cache-Control: no-store' );
		echo json_encode( $body );
		exit;
	}

	/** @return array{int, array} Status and body of the response. */
	private static function handle(): array {
		if ( ! Remote_Request::has_valid_key() ) {
			return self::error( 401, 'invalid_service_key', 'The service key is missing or wrong.' );
		}
		$text = (string) file_get_contents( 'php://input', false, null, 0, self::MAX_BODY_BYTES );
		if ( Call_Signature::is_required() && ! Call_Signature::verify( self::PATH, $text ) ) {
			return self::error( 401, 'invalid_signature', 'The signature of the call is missing, invalid, expired or already used.' );
		}
		$body = json_decode( $text, true );
		if ( ! is_string( $body['call'] ?? null ) || ! in_array( $body['verdict'] ?? null, [ 'healthy', 'broken', 'unknown' ], true ) ) {
			return self::error( 400, 'invalid_request', 'The body must contain call and verdict.' );
		}
		$lock = @fopen( State::file( 'lock' ), 'ce' );
		if ( false !== $lock && ! flock( $lock, LOCK_EX | LOCK_NB ) ) {
			return self::error( 409, 'site_busy', 'Another update or action is running on this site.' );
		}
		// The panel repeats the verdict if the first response was lost.
		$last = State::read( self::LAST_VERDICT_FILE );
		if ( null !== $last && hash_equals( (string) $last['call'], $body['call'] ) ) {
			return [ 200, [ 'success' => true, 'restored' => (bool) $last['restored'] ] ];
		}
		$call = Journal::awaited_call();
		if ( null === $call || ! hash_equals( $call, $body['call'] ) ) {
			return self::error( 404, 'not_found', 'No verdict is expected for this call.' );
		}
		// Continue even if the log cannot be written: a broken site must be restored.
		Call_Log::add( self::PATH, $text );
		$is_broken = 'broken' === $body['verdict'];
		$is_broken || Undo::keep_new_versions();
		$is_restored = $is_broken && Undo::restore_all( 'broke the site' );
		State::write( self::LAST_VERDICT_FILE, [ 'call' => $call, 'restored' => $is_restored ] );
		return [ 200, [ 'success' => true, 'restored' => $is_restored ] ];
	}

	private static function error( int $status, string $code, string $error ): array {
		return [
			$status,
			[
				'success' => false,
				'error'   => $error,
				'code'    => $code,
			],
		];
	}
}
