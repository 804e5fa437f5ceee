<?php
/**
 * @package Steward
 */

namespace Steward\Health;

defined( 'ABSPATH' ) || exit;

/** A page of the site that the health check requests before and after a change. */
final class Page {

	const HTML = 'html';
	const JSON = 'json';
	const FEED = 'feed';
	/** Short text. Its content is not checked. */
	const TEXT = 'text';
	/** The body is ignored. The request only has to finish. */
	const CRON = 'cron';

	/** Importance: the check is incomplete without this page. */
	const REQUIRED = 'required';
	/** As REQUIRED, and the page must respond with 200: its owner has marked it. */
	const MARKED = 'marked';
	/** Left out if a server refuses it before the change, as many hosts do. */
	const COMMON = 'common';
	/** Left out unless it responds with 200 before the change. */
	const EXTRA = 'extra';

	/** @var string Name in messages. */
	public $name;

	/** @var string */
	public $url;

	/** @var string */
	public $kind;

	/** @var int User who opens the page. 0: a visitor. */
	public $user;

	/** @var string REQUIRED, MARKED, COMMON or EXTRA. */
	public $importance = self::REQUIRED;

	/** @var bool Whether the page is loaded twice after an update: a welcome page may appear once, other faults appear later. */
	public $is_loaded_twice = false;

	/** @var int Post that the page shows. 0: not a single post. */
	public $post = 0;

	public function __construct( string $name, string $url, string $kind = self::HTML, int $user = 0 ) {
		$this->name = $name;
		$this->url  = $url;
		$this->kind = $kind;
		$this->user = $user;
	}

	public function key(): string {
		return $this->user . ' ' . $this->url;
	}

	public function with_importance( string $importance ): self {
		$this->importance = $importance;
		return $this;
	}

	/** Whether the page can be compared with this result before the change. */
	public function is_comparable( Page_Result $before ): bool {
		return $before->is_comparable() && ( 200 === $before->status || in_array( $this->importance, [ self::REQUIRED, self::COMMON ], true ) );
	}

	/** Whether the check is incomplete because of this result before the change, which cannot be compared. */
	public function is_missed( Page_Result $before ): bool {
		switch ( $this->importance ) {
			case self::MARKED:
				return true;
			case self::REQUIRED:
				return ! $before->is_built();
			case self::COMMON:
				return $before->is_skipped || $before->is_timed_out();
			default:
				return false;
		}
	}

	/** Whether an editor has unpublished the post meanwhile. */
	public function is_gone(): bool {
		global $wpdb;
		return $this->post > 0 && 'publish' !== $wpdb->get_var( $wpdb->prepare( "SELECT post_status FROM {$wpdb->posts} WHERE ID = %d", $this->post ) );
	}

	/** Whether visitors open pages like this one. */
	public function is_for_visitors(): bool {
		return 0 === $this->user && in_array( $this->kind, [ self::HTML, self::JSON ], true );
	}

	/** Whether the text of the page is compared. */
	public function has_text(): bool {
		return in_array( $this->kind, [ self::HTML, self::JSON, self::FEED ], true );
	}
}
