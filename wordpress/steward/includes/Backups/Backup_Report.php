<?php
/**
 * @package Steward
 */

namespace Steward\Backups;

defined( 'ABSPATH' ) || exit;

/** The part of a report that tells the panel which backups this site has. */
final class Backup_Report {

	/**
	 * Returns the newest backup of each content. A plugin without a backup that can be read has one entry without a time.
	 *
	 * @param string   $plugin  Name of the backup plugin in the protocol.
	 * @param Backup[] $backups Completed backups, in any order.
	 * @return array[] See `BackupStateReport` in packages/contract.
	 */
	public static function of_plugin( string $plugin, array $backups ): array {
		$newest = [];
		foreach ( $backups as $backup ) {
			$known = $newest[ $backup->contains ] ?? null;
			if ( null === $known || $backup->time > $known->time ) {
				$newest[ $backup->contains ] = $backup;
			}
		}
		ksort( $newest );
		$entries = [];
		foreach ( $newest as $backup ) {
			$entries[] = [
				'plugin'       => $plugin,
				'backed_up_at' => gmdate( 'Y-m-d\TH:i:s\Z', $backup->time ),
				'contains'     => $backup->contains,
			];
		}
		return [] === $entries ? [
			[
				'plugin'       => $plugin,
				'backed_up_at' => null,
			],
		] : $entries;
	}
}
