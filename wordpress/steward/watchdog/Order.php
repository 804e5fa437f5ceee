<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

defined( 'ABSPATH' ) || exit;

/**
 * POST remote/verdict: the panel has looked at the site from outside, because the site cannot do so itself.
 *
 * It is answered here, before any other plugin is loaded: the one that was updated may have broken the REST API too.
 */
final class Order {

	private const PATH    = '/service/v1/remote/verdict';
	private const LONGEST = 4096;
	private const LAST    = 'last-verdict.json';

	public static function is_asked(): bool {
		return 'POST' === ( $_SERVER['REQUEST_METHOD'] ?? '' ) && Remote_Request::is_for( self::PATH );
	}

	public static function answer(): void {
		[ $status, $body ] = self::obey();
		http_response_code( $status );
		header( 'Content-Type: application/json; charset=UTF-8' );
		header( 'Cache-Control: no-store' );
		echo json_encode( $body );
		exit;
	}

	/** @return array{int, array} Status and body of the answer. */
	private static function obey(): array {
		if ( ! Remote_Request::has_key() ) {
			return self::refusal( 401, 'invalid_service_key', 'The service key is missing or wrong.' );
		}
		$text = (string) file_get_contents( 'php://input', false, null, 0, self::LONGEST );
		if ( Call_Signature::is_required() && ! Call_Signature::is_good( self::PATH, $text ) ) {
			return self::refusal( 401, 'invalid_signature', 'The signature of the call is missing, wrong, too old or was used before.' );
		}
		$body = json_decode( $text, true );
		if ( ! is_string( $body['call'] ?? null ) || ! in_array( $body['verdict'] ?? null, [ 'healthy', 'broken', 'unknown' ], true ) ) {
			return self::refusal( 400, 'invalid_request', 'The body must have call and verdict.' );
		}
		$lock = @fopen( State::file( 'lock' ), 'ce' );
		if ( false !== $lock && ! flock( $lock, LOCK_EX | LOCK_NB ) ) {
			return self::refusal( 409, 'site_busy', 'Another update or action is running on this site.' );
		}
		// The answer may have been lost on its way.
		$last = State::read( self::LAST );
		if ( null !== $last && hash_equals( (string) $last['call'], $body['call'] ) ) {
			return [ 200, [ 'success' => true, 'restored' => (bool) $last['restored'] ] ];
		}
		$call = Journal::awaiting();
		if ( null === $call || ! hash_equals( $call, $body['call'] ) ) {
			return self::refusal( 404, 'not_found', 'No verdict on this call is awaited.' );
		}
		// A log that cannot be written does not keep a site broken.
		Call_Log::add( self::PATH, $text );
		$is_broken = 'broken' === $body['verdict'];
		$is_broken || Undo::keep_all();
		$is_restored = $is_broken && Undo::all( 'broke the site' );
		State::write( self::LAST, [ 'call' => $call, 'restored' => $is_restored ] );
		return [ 200, [ 'success' => true, 'restored' => $is_restored ] ];
	}

	private static function refusal( int $status, string $code, string $error ): array {
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
