<?php
/**
 * @package Steward
 */

namespace Steward\Health;

defined( 'ABSPATH' ) || exit;

/**
 * What a page check cannot show: the active plugins, the theme, the addresses of the site and its published entries. Read from
 * the database, because other requests may change it while this one runs.
 */
final class Site_State {

	/** An update changes none of these, so a rollback writes them back. The constant replaces the option. */
	private const ADDRESSES = [
		'permalink_structure' => '',
		'home'                => 'WP_HOME',
		'siteurl'             => 'WP_SITEURL',
	];
	/** A user may change the theme at any time. */
	private const THEMES  = [ 'template', 'stylesheet' ];
	private const PLUGINS = 'active_plugins';
	/** Newest entries whose content is compared by its size. */
	private const MAX_ENTRIES = 50;
	/** An editor may unpublish an entry meanwhile. */
	private const MIN_LOST_ENTRIES = 2;
	private const MIN_LOST_SHARE   = 0.1;

	/** @var array<string, string> Raw values by option. */
	private $options;

	/** @var string[] Active plugins, also of the network. */
	private $plugins;

	/** @var int Number of published entries. */
	private $published;

	/** @var array<int, int> Size of the content of the newest entries, by id. */
	private $entries;

	/** @param int[]|null $ids Entries whose content is read. Null: the newest ones. */
	private function __construct( ?array $ids ) {
		$this->options = self::read_options();
		$network       = is_multisite() ? array_keys( (array) maybe_unserialize( self::read_network_plugins() ) ) : [];
		$this->plugins = array_merge( (array) maybe_unserialize( $this->options[ self::PLUGINS ] ?? '' ), $network );
		[ $this->published, $this->entries ] = self::read_entries( $ids );
	}

	public static function read(): self {
		return new self( null );
	}

	/** Reads the state again, with the same entries. */
	public function read_again(): self {
		return new self( array_keys( $this->entries ) );
	}

	/** @return string[] Options with an address that has changed. */
	public function find_changed_addresses(): array {
		$now     = self::read_options();
		$changed = [];
		foreach ( self::ADDRESSES as $name => $constant ) {
			if ( ! defined( $constant ) && isset( $this->options[ $name ] ) && ( $now[ $name ] ?? '' ) !== $this->options[ $name ] ) {
				$changed[] = $name;
			}
		}
		return $changed;
	}

	/** Writes back the addresses that have changed. Not by update_option(), which filters can prevent. */
	public function restore_addresses(): void {
		global $wpdb;
		foreach ( $this->find_changed_addresses() as $name ) {
			$wpdb->update( $wpdb->options, [ 'option_value' => $this->options[ $name ] ], [ 'option_name' => $name ] );
			wp_cache_delete( 'alloptions', 'options' );
			wp_cache_delete( $name, 'options' );
			// Of the other structure.
			delete_option( 'rewrite_rules' );
		}
	}

	public function has_other_theme( self $before ): bool {
		return [] !== array_diff_assoc( array_intersect_key( $before->options, array_flip( self::THEMES ) ), $this->options );
	}

	public function is_active( string $plugin ): bool {
		return in_array( $plugin, $this->plugins, true );
	}

	/** @return string[] Plugins that were active before and are not now. */
	public function find_deactivated( self $before ): array {
		return array_values( array_diff( $before->plugins, $this->plugins ) );
	}

	/** Returns how many entries are no longer published or have lost their content. 0: no more than an editor may do meanwhile. */
	public function count_lost_entries( self $before ): int {
		$missing = max( 0, $before->published - $this->published );
		$emptied = 0;
		foreach ( $before->entries as $id => $bytes ) {
			$emptied += $bytes > 0 && isset( $this->entries[ $id ] ) && 0 === $this->entries[ $id ] ? 1 : 0;
		}
		$is_lost = static function ( int $count, int $of ): bool {
			return $count >= self::MIN_LOST_ENTRIES && $count >= $of * self::MIN_LOST_SHARE;
		};
		return ( $is_lost( $missing, $before->published ) ? $missing : 0 ) + ( $is_lost( $emptied, count( $before->entries ) ) ? $emptied : 0 );
	}

	/** Not by get_site_option(), which other requests do not change in this one. */
	private static function read_network_plugins(): string {
		global $wpdb;
		return (string) $wpdb->get_var( $wpdb->prepare( "SELECT meta_value FROM {$wpdb->sitemeta} WHERE meta_key = 'active_sitewide_plugins' AND site_id = %d", get_current_network_id() ) );
	}

	/** @return array<string, string> */
	private static function read_options(): array {
		global $wpdb;
		$names = array_merge( array_keys( self::ADDRESSES ), self::THEMES, [ self::PLUGINS ] );
		$list  = implode( ', ', array_fill( 0, count( $names ), '%s' ) );
		// phpcs:ignore WordPress.DB.PreparedSQL, WordPress.DB.PreparedSQLPlaceholders
		$rows = $wpdb->get_results( $wpdb->prepare( "SELECT option_name, option_value FROM {$wpdb->options} WHERE option_name IN ( $list )", $names ) );
		return array_column( (array) $rows, 'option_value', 'option_name' );
	}

	/**
	 * @param int[]|null $ids Entries to read. Null: the newest ones.
	 * @return array{int, array<int, int>}
	 */
	private static function read_entries( ?array $ids ): array {
		global $wpdb;
		$types = implode( "', '", array_map( 'esc_sql', array_diff( get_post_types( [ 'public' => true ] ), [ 'attachment' ] ) ) );
		$where = "post_status = 'publish' AND post_type IN ( '$types' )";
		// phpcs:disable WordPress.DB.PreparedSQL
		$published = (int) $wpdb->get_var( "SELECT COUNT(*) FROM {$wpdb->posts} WHERE $where" );
		// Two queries: together they would read the content of all entries to sort them.
		$ids  = $ids ?? $wpdb->get_col( "SELECT ID FROM {$wpdb->posts} WHERE $where ORDER BY ID DESC LIMIT " . self::MAX_ENTRIES );
		$list = implode( ', ', array_map( 'intval', array_merge( [ 0 ], $ids ) ) );
		$rows = $wpdb->get_results( "SELECT ID, LENGTH( post_content ) AS bytes FROM {$wpdb->posts} WHERE ID IN ( $list ) AND $where" );
		// phpcs:enable
		return [ $published, array_map( 'intval', array_column( (array) $rows, 'bytes', 'ID' ) ) ];
	}
}
