<?php
/**
 * @package Steward
 */

namespace Steward\Watchdog;

use Steward\Updating\State_Folder;

defined( 'ABSPATH' ) || exit;

/**
 * The stored groups of errors, with what was reported and checked. One file in the state folder: the database may be what
 * has failed.
 *
 * Strangers can cause errors. So the number of groups, reports and checks is limited, and half of the groups and reports is
 * reserved for confirmed errors.
 */
final class Error_Store {

	const MAX_GROUPS             = 100;
	const MAX_UNCONFIRMED_GROUPS = 50;
	const MAX_REPORTS_PER_DAY    = 20;
	const MAX_UNCONFIRMED_REPORTS_PER_DAY = 10;
	const REPORT_PAUSE_SECONDS   = 60;
	const MAX_CHECKS_PER_HOUR    = 10;
	/** An error that occurs in this many requests in a row is confirmed. */
	const NEEDED_FAILURES        = 2;

	private const FILE            = 'errors.json';
	private const LOCK_FILE       = 'errors.lock';
	private const MAX_LOCK_TRIES  = 50;
	private const LOCK_TRY_MICROSECONDS = 4000;
	private const DAMAGED_SECONDS = 3600;
	private const KEPT_SECONDS    = 30 * 86400;
	/** By then the panel has the group: a site checks in twice a day. */
	private const REPLACEABLE_AFTER_SECONDS = 2 * 86400;
	private const DROPPED_SECONDS = 86400;
	private const MAX_COUNT       = 1000000;
	/** Within this time a check ends, and its result is in the same report. */
	private const CHECK_SECONDS   = 30;
	private const CHECK_PAUSE_SECONDS = 3600;
	private const DUE_UNCONFIRMED = 1;
	private const DUE_CONFIRMED   = 2;

	private const EMPTY_STORE = [
		'groups'        => [],
		'dropped'       => 0,
		'dropped_at'    => 0,
		'due'           => 0,  // Whether news wait for an immediate report; DUE_CONFIRMED: they are confirmed.
		'due_number'    => 0,
		'reports'       => [], // Time of each immediate report of the last day, and whether it was for a confirmed error.
		'started_at'    => 0,  // When a request that sends the report was started.
		'checks'        => [], // Times of the requests of the last hour.
		'checked_until' => 0,
	];

	/**
	 * Counts an error.
	 *
	 * @param bool $is_urgent Whether news must be reported at once.
	 */
	public static function add( Error_Group $group, bool $is_confirmed, bool $is_urgent = false ): void {
		self::change(
			static function ( array &$store ) use ( $group, $is_confirmed, $is_urgent ): void {
				$key   = $group->key();
				$known = $store['groups'][ $key ] ?? null;
				if ( null === $known && ! self::make_room( $store, $is_confirmed ) ) {
					self::count_dropped( $store );
					return;
				}
				$store['groups'][ $key ] = $group->to_array() + [
					'is_confirmed' => $is_confirmed || ! empty( $known['is_confirmed'] ),
					'count'        => min( self::MAX_COUNT, 1 + ( $known['count'] ?? 0 ) ),
					'first_at'     => $known['first_at'] ?? time(),
					'last_at'      => time(),
					'checked_at'   => $known['checked_at'] ?? 0,
				];
				$is_news                 = null === $known || ( $is_confirmed && empty( $known['is_confirmed'] ) );
				$is_news && $is_urgent && self::set_due( $store, $is_confirmed );
			}
		);
	}

	/** Marks a group as confirmed, after it was reproduced. */
	public static function confirm( string $key ): void {
		self::change(
			static function ( array &$store ) use ( $key ): void {
				$store['checked_until'] = 0;
				if ( isset( $store['groups'][ $key ] ) && ! $store['groups'][ $key ]['is_confirmed'] ) {
					$store['groups'][ $key ]['is_confirmed'] = true;
					self::set_due( $store, true );
				}
			}
		);
	}

	/**
	 * Call this when a check has ended without a confirmation: its report can be sent.
	 *
	 * @param string $unfinished_key Group whose check may start again, or ''.
	 */
	public static function end_check( string $unfinished_key = '' ): void {
		self::change(
			static function ( array &$store ) use ( $unfinished_key ): void {
				$store['checked_until'] = 0;
				if ( isset( $store['groups'][ $unfinished_key ] ) ) {
					$store['groups'][ $unfinished_key ]['checked_at'] = 0;
				}
			}
		);
	}

	/** Whether a check of this group should start now. If so, it counts as started, and its first request as sent. */
	public static function begin_check( string $key ): bool {
		return (bool) self::change(
			static function ( array &$store ) use ( $key ): bool {
				$group = $store['groups'][ $key ] ?? null;
				if ( null === $group || $group['is_confirmed'] || time() - $group['checked_at'] < self::CHECK_PAUSE_SECONDS || time() < $store['checked_until'] ) {
					return false;
				}
				// Otherwise it could not confirm anything.
				if ( ! self::take_request( $store, self::NEEDED_FAILURES ) ) {
					return false;
				}
				$store['groups'][ $key ]['checked_at'] = time();
				$store['checked_until']                = time() + self::CHECK_SECONDS;
				return true;
			}
		);
	}

	/** Counts a further request of a check. Returns false if the limit is reached. */
	public static function claim_check_request(): bool {
		return (bool) self::change(
			static function ( array &$store ): bool {
				return self::take_request( $store, 1 );
			}
		);
	}

	/** Counts a request if the limit leaves room for this many. */
	private static function take_request( array &$store, int $needed ): bool {
		$store['checks'] = array_values(
			array_filter(
				$store['checks'],
				static function ( int $at ): bool {
					return $at > time() - 3600;
				}
			)
		);
		if ( count( $store['checks'] ) + $needed > self::MAX_CHECKS_PER_HOUR ) {
			return false;
		}
		$store['checks'][] = time();
		return true;
	}

	/** Returns the seconds until an immediate report may be sent, or null if none is due or the limit of the day is reached. */
	public static function seconds_until_report(): ?int {
		return self::report_delay( self::read() );
	}

	/**
	 * Whether a request that sends the report should be started now. If the site cannot request its own pages, or is not
	 * connected, no report follows; other requests must not try again at once.
	 */
	public static function claim_report_start(): bool {
		return 0 === self::seconds_until_report() && (bool) self::change(
			static function ( array &$store ): bool {
				if ( 0 !== self::report_delay( $store ) || time() - $store['started_at'] < self::REPORT_PAUSE_SECONDS ) {
					return false;
				}
				$store['started_at'] = time();
				return true;
			}
		);
	}

	/** Counts an immediate report. Returns false if none may be sent now. */
	public static function claim_report(): bool {
		return (bool) self::change(
			static function ( array &$store ): bool {
				if ( 0 !== self::report_delay( $store ) ) {
					return false;
				}
				$store['reports']   = self::recent_reports( $store );
				$store['reports'][] = [ time(), self::DUE_CONFIRMED === $store['due'] ];
				return true;
			}
		);
	}

	/**
	 * Returns the field `item_errors` of a report.
	 *
	 * @return array{now: string, dropped: int, groups: array[]}
	 */
	public static function build_report(): array {
		$store = self::read();
		return [
			'now'     => self::format_time( time() ),
			'dropped' => time() - $store['dropped_at'] < self::DROPPED_SECONDS ? $store['dropped'] : 0,
			'groups'  => array_map(
				static function ( array $group ): array {
					unset( $group['checked_at'] );
					return [
						'first_at' => self::format_time( $group['first_at'] ),
						'last_at'  => self::format_time( $group['last_at'] ),
					] + $group;
				},
				array_values( $store['groups'] )
			),
		];
	}

	/** Identifies the news that a report contains. */
	public static function due_number(): int {
		return self::read()['due_number'];
	}

	/** Call this after a successful report. Later news stay due. */
	public static function mark_reported( int $due_number ): void {
		if ( 0 === self::read()['due'] ) {
			return;
		}
		self::change(
			static function ( array &$store ) use ( $due_number ): void {
				$store['due'] = $store['due_number'] === $due_number ? 0 : $store['due'];
			}
		);
	}

	private static function set_due( array &$store, bool $is_confirmed ): void {
		$store['due'] = max( $store['due'], $is_confirmed ? self::DUE_CONFIRMED : self::DUE_UNCONFIRMED );
		++$store['due_number'];
	}

	private static function report_delay( array $store ): ?int {
		$reports     = self::recent_reports( $store );
		$unconfirmed = count(
			array_filter(
				$reports,
				static function ( array $report ): bool {
					return ! $report[1];
				}
			)
		);
		$is_confirmed = self::DUE_CONFIRMED === $store['due'];
		if ( 0 === $store['due'] || count( $reports ) >= self::MAX_REPORTS_PER_DAY || ( ! $is_confirmed && $unconfirmed >= self::MAX_UNCONFIRMED_REPORTS_PER_DAY ) ) {
			return null;
		}
		$last  = [] === $reports ? 0 : max( array_column( $reports, 0 ) );
		$until = max( $last + self::REPORT_PAUSE_SECONDS, $is_confirmed ? 0 : $store['checked_until'] );
		return max( 0, $until - time() );
	}

	/** @return array<array{int, bool}> */
	private static function recent_reports( array $store ): array {
		return array_values(
			array_filter(
				$store['reports'],
				static function ( array $report ): bool {
					// A clock that was set back must not block reports.
					return $report[0] > time() - 86400 && $report[0] <= time();
				}
			)
		);
	}

	/** Returns whether there is room for another group. Replaces groups that did not occur for some days. */
	private static function make_room( array &$store, bool $is_confirmed ): bool {
		$has_room = static function () use ( &$store, $is_confirmed ): bool {
			$unconfirmed = count( array_filter( array_column( $store['groups'], 'is_confirmed' ), static function ( bool $is ): bool { return ! $is; } ) );
			return count( $store['groups'] ) < self::MAX_GROUPS && ( $is_confirmed || $unconfirmed < self::MAX_UNCONFIRMED_GROUPS );
		};
		if ( ! $has_room() ) {
			$store['groups'] = array_filter(
				$store['groups'],
				static function ( array $group ): bool {
					return $group['last_at'] > time() - self::REPLACEABLE_AFTER_SECONDS;
				}
			);
			$has_room() || self::drop_unreproduced( $store );
		}
		return $has_room();
	}

	/** Drops the oldest group that a check could not reproduce: otherwise strangers could fill all groups. */
	private static function drop_unreproduced( array &$store ): void {
		$times = [];
		foreach ( $store['groups'] as $key => $group ) {
			if ( ! $group['is_confirmed'] && $group['checked_at'] > 0 && time() - $group['checked_at'] >= self::CHECK_SECONDS ) {
				$times[ $key ] = $group['last_at'];
			}
		}
		if ( [] !== $times ) {
			unset( $store['groups'][ array_search( min( $times ), $times, true ) ] );
			self::count_dropped( $store );
		}
	}

	private static function count_dropped( array &$store ): void {
		$store['dropped']    = min( self::MAX_COUNT, $store['dropped'] + 1 );
		$store['dropped_at'] = time();
	}

	private static function read(): array {
		$store = array_merge( self::EMPTY_STORE, State::read( self::FILE ) ?? [] );
		if ( State::is_damaged( self::FILE ) ) {
			// Errors were lost, and the panel must know.
			$store['dropped']    = 1;
			$store['dropped_at'] = time();
		}
		if ( time() - $store['dropped_at'] >= self::DROPPED_SECONDS ) {
			$store['dropped'] = 0;
		}
		$store['groups'] = array_filter(
			$store['groups'],
			static function ( array $group ): bool {
				return $group['last_at'] > time() - self::KEPT_SECONDS;
			}
		);
		return $store;
	}

	/**
	 * Changes the stored data. Requests that fail at the same time wait for each other for a short time.
	 *
	 * @param callable $change Gets the data by reference.
	 * @return mixed Result of the callable; null if the data cannot be stored.
	 */
	private static function change( callable $change ) {
		// This class also runs while no plugin is loaded.
		class_exists( State_Folder::class ) || require_once dirname( __DIR__ ) . '/includes/Updating/State_Folder.php';
		if ( ! State_Folder::ensure( State::folder() ) ) {
			return null;
		}
		$lock = @fopen( State::file( self::LOCK_FILE ), 'ce' );
		if ( ! $lock || ! self::acquire( $lock ) || self::may_become_readable() ) {
			return null;
		}
		$store    = self::read();
		$result   = $change( $store );
		$is_saved = State::write( self::FILE, State::place() + $store );
		fclose( $lock );
		return $is_saved ? $result : null;
	}

	/** @param resource $lock Lock file. */
	private static function acquire( $lock ): bool {
		$is_held_by_other = 0;
		for ( $try = 0; $try < self::MAX_LOCK_TRIES; $try++ ) {
			if ( flock( $lock, LOCK_EX | LOCK_NB, $is_held_by_other ) ) {
				return true;
			}
			usleep( self::LOCK_TRY_MICROSECONDS );
		}
		// Some file systems have no locks.
		return ! $is_held_by_other;
	}

	/** A full disk or too many open files can prevent reading for some time. Nothing replaces the file before. */
	private static function may_become_readable(): bool {
		return State::is_damaged( self::FILE ) && time() - (int) @filemtime( State::file( self::FILE ) ) < self::DAMAGED_SECONDS;
	}

	private static function format_time( int $time ): string {
		return gmdate( 'Y-m-d\TH:i:s\Z', $time );
	}
}
