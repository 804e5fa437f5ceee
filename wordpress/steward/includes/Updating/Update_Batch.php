<?php
/**
 * @package Steward
 */

namespace Steward\Updating;

use Steward\Panel\Capabilities;
use Steward\Watchdog\Journal;
use Steward\Watchdog\Maintenance;
use Steward\Watchdog\Ticket;
use Throwable;

defined( 'ABSPATH' ) || exit;

/**
 * Updates several items, and looks at the site after each: shortly while there are more to come, at all pages after the
 * last. What breaks the site is taken back, the newest first, until the site is as it was.
 */
final class Update_Batch {

	/** A host may end a long request. What was judged by then need not be done again. */
	private const SETTLE_AFTER_SECONDS = 60;

	/** @var Health_Check */
	private $health;

	/** @var Item_Update[] Replaced, and not settled yet. */
	private $open = [];

	/** @var Item_Update|null The last that was taken back since. */
	private $taken_back = null;

	/** @var bool The site cannot look at itself, and the panel does. */
	private $is_judged_outside = false;

	/** @var float */
	private $settled_at;

	/** @var string[] */
	private $leftovers = [];

	public function __construct( Health_Check $health ) {
		$this->health     = $health;
		$this->settled_at = microtime( true );
	}

	/**
	 * Looks at the site as it is. Where that cannot be done the panel is asked to look instead, if it knows how: nothing
	 * is changed until it calls again.
	 *
	 * @param Item_Update[] $updates     What is to be done.
	 * @param bool          $panel_looks Whether the panel has said that it does.
	 */
	public function needs_outside_look( array $updates, bool $panel_looks ): bool {
		foreach ( $updates as $update ) {
			if ( $update->item()->is_loaded() ) {
				$this->health->remember( $update->item()->other_sites() );
				$this->is_judged_outside = ! $this->health->can_look() && Capabilities::panel_has( Capabilities::OUTSIDE_LOOK );
			}
		}
		return $this->is_judged_outside && ! $panel_looks;
	}

	/**
	 * @param Item_Update[] $updates     In the order they are to be done.
	 * @param callable      $before_each Called before each of them.
	 */
	public function run( array $updates, callable $before_each ): void {
		$last = end( $updates );
		foreach ( $updates as $update ) {
			$before_each();
			$verdict = $this->replace( $update, $update === $last );
			if ( $this->is_judged_outside ) {
				$update === $last && $this->leave_to_panel();
			} elseif ( $update === $last || microtime( true ) - $this->settled_at > self::SETTLE_AFTER_SECONDS ) {
				$this->settle( $update === $last ? $verdict : null );
			}
		}
	}

	/** @return string[] Folders of previous versions that could not be deleted. */
	public function leftovers(): array {
		return $this->leftovers;
	}

	/** Gives what a look at all pages has shown, if there was one and it was good. */
	private function replace( Item_Update $update, bool $is_last ): ?Verdict {
		$item = $update->item();
		try {
			if ( $item->is_loaded() ) {
				$this->health->remember( $item->other_sites() );
			}
			$update->replace();
			if ( ! $update->is_replaced() ) {
				return null;
			}
			$this->open[] = $update;
			$verdict      = $item->is_loaded() ? $this->health->verdict_on_update( $is_last, $update->paths() ) : null;
			if ( null !== $verdict && $verdict->is_broken() ) {
				$this->take_back( $update->fault( $verdict ) );
				return null;
			}
			return $is_last ? $verdict : null;
		} catch ( Throwable $thrown ) {
			$update->fail( $thrown->getMessage() );
			if ( $update->is_replaced() ) {
				in_array( $update, $this->open, true ) || $this->open[] = $update;
				$this->take_back( $thrown->getMessage() );
			}
			return null;
		} finally {
			// The panel looks when all is done; until then the last item keeps visitors out.
			$is_last && $this->is_judged_outside || Maintenance::end();
		}
	}

	/**
	 * Judges what is open with a look at all pages, and lets it be.
	 *
	 * @param Verdict|null $verdict Of such a look, if there was one just now.
	 */
	private function settle( ?Verdict $verdict ): void {
		while ( $this->has_loaded() || null !== $this->taken_back ) {
			$verdict = $verdict ?? $this->health->verdict_on_update( true, $this->paths() );
			if ( ! $verdict->is_broken() ) {
				break;
			}
			if ( [] === $this->open ) {
				/* translators: %s: What is wrong. */
				$this->taken_back->add_to_failure( sprintf( __( 'The site still does not work as before: %s.', 'steward' ), $verdict->reason() ) );
				break;
			}
			$this->take_back( end( $this->open )->fault( $verdict ) );
			$verdict = null;
		}
		Journal::remove( $this->backups() );
		foreach ( $this->open as $update ) {
			$this->leftovers[] = $update->settle( null === $verdict || $verdict->is_verified() );
		}
		$this->leftovers  = array_filter( $this->leftovers );
		$this->open       = [];
		$this->taken_back = null;
		$this->settled_at = microtime( true );
	}

	/** What no page is built with is done; the rest is for the panel to judge. */
	private function leave_to_panel(): void {
		$loaded     = array_filter( $this->open, [ self::class, 'is_loaded' ] );
		$this->open = array_diff_key( $this->open, $loaded );
		$this->settle( Verdict::unverified( '' ) );
		$this->open = $loaded;
		foreach ( $loaded as $update ) {
			$update->leave_unverified();
		}
	}

	/**
	 * The last thing to do: the old versions stay at hand until the panel has looked, and visitors wait.
	 *
	 * @return array{call: string, ticket: string}|null What the panel needs for that; null: there is nothing to judge.
	 */
	public function await_verdict(): ?array {
		if ( [] === $this->open ) {
			$this->is_judged_outside && Maintenance::end();
			return null;
		}
		Maintenance::begin();
		$ticket = Ticket::issue_for_panel();
		$call   = '' === $ticket ? '' : Journal::await_verdict( $ticket, $this->backups() );
		if ( '' === $call ) {
			Maintenance::end();
			$this->settle( Verdict::unverified( '' ) );
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
			array_values( $this->open )
		);
	}

	private function take_back( string $failure ): void {
		$this->taken_back = array_pop( $this->open );
		$this->taken_back->take_back( $failure );
	}

	private function has_loaded(): bool {
		return [] !== array_filter( $this->open, [ self::class, 'is_loaded' ] );
	}

	private static function is_loaded( Item_Update $update ): bool {
		return $update->item()->is_loaded();
	}

	/** @return string[] */
	private function paths(): array {
		$paths = [];
		foreach ( $this->open as $update ) {
			$paths = array_merge( $paths, $update->paths() );
		}
		return $paths;
	}
}
