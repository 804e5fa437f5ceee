<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Health\Health_Check;
use Steward\Health\Verdict;
use Steward\Panel\Capabilities;
use Steward\Rest\Api_Error;
use Steward\Self_Update\Own_Plugin;
use Steward\Watchdog\Journal;
use Steward\Watchdog\Maintenance;
use Steward\Watchdog\Ticket;
use Throwable;
use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * Updates several items. Checks a few pages after each item and all pages after the last item. If the site is
 * broken, rolls back items, newest first, until the site works as before.
 */
final class Update_Batch {

	/** Commits items during a long run: a host may kill a long request, and only committed items stay updated. */
	private const COMMIT_AFTER_SECONDS = 60;

	/** @var Health_Check */
	private $health;

	/** @var Item_Update[] Updates of items that are replaced, but not committed. */
	private $uncommitted = [];

	/** @var Item_Update|null Last item that was rolled back since the last commit. */
	private $rolled_back = null;

	/** @var bool Whether the panel checks the pages, because the site cannot open them. */
	private $is_checked_by_panel = false;

	/** @var float */
	private $committed_at;

	/** @var string[] */
	private $leftovers = [];

	public function __construct( Health_Check $health ) {
		$this->health       = $health;
		$this->committed_at = microtime( true );
	}

	/**
	 * Checks the pages before the first change. Returns a refusal if the site cannot open its own pages and the panel supports
	 * outside checks: the panel must then check the pages and call again before any change.
	 *
	 * @param Item_Update[] $updates Updates to run.
	 */
	public function prepare( array $updates ): ?WP_Error {
		$items = [];
		foreach ( array_filter( $updates, [ self::class, 'is_loaded' ] ) as $update ) {
			$items[] = $update->item();
		}
		if ( [] === $items ) {
			return null;
		}
		$this->is_checked_by_panel = $this->health->is_left_to_panel();
		$this->health->prepare( $items );
		return $this->is_checked_by_panel || $this->health->can_check_pages() || ! Capabilities::panel_supports( Capabilities::OUTSIDE_LOOK )
			? null
			: Api_Error::create( 'outside_look_needed', '', $this->health->describe_for_panel() );
	}

	/**
	 * @param Item_Update[] $updates     Updates in order.
	 * @param callable      $before_each Called before each update.
	 */
	public function run( array $updates, callable $before_each ): void {
		$last = end( $updates );
		foreach ( $updates as $update ) {
			$before_each();
			$verdict = $this->replace( $update, $update === $last );
			if ( $this->is_checked_by_panel ) {
				$update === $last && $this->defer_to_panel();
			} elseif ( $update === $last || microtime( true ) - $this->committed_at > self::COMMIT_AFTER_SECONDS ) {
				$this->commit( $update === $last ? $verdict : null );
			}
		}
	}

	/** @return string[] Backups that could not be deleted. */
	public function leftovers(): array {
		return $this->leftovers;
	}

	/** Replaces one item and checks the pages. Returns the verdict only after the last item, if the site is not broken. */
	private function replace( Item_Update $update, bool $is_last ): ?Verdict {
		$item = $update->item();
		try {
			$update->replace();
			if ( ! $update->has_backup() ) {
				return null;
			}
			$this->uncommitted[] = $update;
			$verdict             = $item->is_loaded() && ! $this->is_checked_by_panel ? $this->check( $update, $is_last ) : null;
			if ( null !== $verdict && $verdict->is_broken() ) {
				$this->roll_back_culprit( $verdict );
				return null;
			}
			return $is_last ? $verdict : null;
		} catch ( Throwable $thrown ) {
			$update->record_failure( $thrown->getMessage() );
			if ( $update->has_backup() ) {
				in_array( $update, $this->uncommitted, true ) || $this->uncommitted[] = $update;
				$this->roll_back( $update, $thrown->getMessage() );
			}
			return null;
		} finally {
			// The panel checks the pages after the last item. Maintenance mode stays on until then.
			$is_last && $this->is_checked_by_panel || Maintenance::end();
		}
	}

	/**
	 * Checks all pages, rolls back items that break the site, and keeps the other items.
	 *
	 * @param Verdict|null $verdict Verdict of a full check that has just run.
	 */
	private function commit( ?Verdict $verdict ): void {
		while ( $this->has_loaded_items() || null !== $this->rolled_back ) {
			$verdict = $verdict ?? $this->check_all();
			if ( ! $verdict->is_broken() ) {
				break;
			}
			if ( [] === $this->uncommitted ) {
				/* translators: %s: Error message. */
				$this->rolled_back->add_to_failure( sprintf( __( 'The site is still broken: %s.', 'steward' ), $verdict->reason() ) );
				break;
			}
			$this->roll_back_culprit( $verdict );
			$verdict = null;
		}
		Journal::remove( $this->backups() );
		foreach ( $this->uncommitted as $update ) {
			$this->leftovers[] = $update->commit( null === $verdict || $verdict->is_verified() );
		}
		Saved_Versions::prune();
		$this->leftovers    = array_filter( $this->leftovers );
		$this->uncommitted  = [];
		$this->rolled_back  = null;
		$this->committed_at = microtime( true );
	}

	/** Commits items that no page loads. Items that pages load wait for the verdict of the panel. */
	private function defer_to_panel(): void {
		$loaded            = array_filter( $this->uncommitted, [ self::class, 'is_loaded' ] );
		$this->uncommitted = array_diff_key( $this->uncommitted, $loaded );
		$this->commit( Verdict::unverified( '' ) );
		$this->uncommitted = $loaded;
		foreach ( $loaded as $update ) {
			$update->mark_unverified();
		}
	}

	/**
	 * Call this last: it keeps the backups and maintenance mode until the panel has checked the pages.
	 *
	 * @return array{call: string, ticket: string}|null Data for the panel. Null: nothing to check.
	 */
	public function await_verdict(): ?array {
		if ( [] === $this->uncommitted ) {
			$this->is_checked_by_panel && Maintenance::end();
			return null;
		}
		Maintenance::begin( dirname( Own_Plugin::file() ) );
		$ticket = Ticket::issue_for_panel();
		$call   = '' === $ticket ? '' : Journal::await_verdict( $ticket, $this->backups() );
		if ( '' === $call ) {
			Maintenance::end();
			$this->commit( Verdict::unverified( '' ) );
			return null;
		}
		return [
			'call'   => $call,
			'ticket' => $ticket,
		];
	}

	/** @return string[] */
	private function backups(): array {
		return array_map(
			static function ( Item_Update $update ): string {
				return $update->backup();
			},
			array_values( $this->uncommitted )
		);
	}

	/** After the last item, all pages are checked, otherwise only a few. */
	private function check( Item_Update $update, bool $is_last ): Verdict {
		return $is_last ? $this->check_all() : $this->health->check_between_items( $update->paths() );
	}

	private function check_all(): Verdict {
		$paths   = [];
		$plugins = [];
		foreach ( $this->uncommitted as $update ) {
			$paths   = array_merge( $paths, $update->paths() );
			$plugins = array_merge( $plugins, $update->plugin_files() );
		}
		return $this->health->check_after_update( $paths, $plugins, [ Maintenance::class, 'end' ] );
	}

	/** Rolls back the update that breaks the site according to the verdict, or else the newest one. */
	private function roll_back_culprit( Verdict $verdict ): void {
		$culprit = end( $this->uncommitted );
		foreach ( '' === $verdict->culprit() ? [] : $this->uncommitted as $update ) {
			$culprit = $update->contains( $verdict->culprit() ) ? $update : $culprit;
		}
		$this->roll_back( $culprit, $culprit->describe_failure( $verdict ) );
	}

	private function roll_back( Item_Update $update, string $failure ): void {
		unset( $this->uncommitted[ array_search( $update, $this->uncommitted, true ) ] );
		$this->uncommitted = array_values( $this->uncommitted );
		$this->rolled_back = $update;
		// The site may be open again already.
		Maintenance::begin( dirname( Own_Plugin::file() ) );
		$update->roll_back( $failure );
		Maintenance::end();
		$this->health->restore_addresses();
	}

	private function has_loaded_items(): bool {
		return [] !== array_filter( $this->uncommitted, [ self::class, 'is_loaded' ] );
	}

	private static function is_loaded( Item_Update $update ): bool {
		return $update->item()->is_loaded();
	}
}
