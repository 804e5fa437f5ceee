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

	/** @var string Name in messages. */
	public $name;

	/** @var string */
	public $url;

	/** @var string */
	public $kind;

	/** @var int User who opens the page. 0: a visitor. */
	public $user;

	/** @var bool Whether the page is checked after each item, not only at the end. */
	public $is_in_short_set = false;

	/** @var bool Whether the check is incomplete without this page. False: it is left out if it does not respond with 200 before the change. */
	public $is_required = true;

	/** @var bool Whether it is a screen of the admin area. Some hosts do not let the site open any of them. */
	public $is_screen = false;

	/** @var bool Whether the page is loaded twice after an update: a welcome page may appear once, other faults appear later. */
	public $is_loaded_twice = false;

	public function __construct( string $name, string $url, string $kind = self::HTML, int $user = 0 ) {
		$this->name = $name;
		$this->url  = $url;
		$this->kind = $kind;
		$this->user = $user;
	}

	public function key(): string {
		return $this->user . ' ' . $this->url;
	}

	public function as_optional(): self {
		$this->is_required = false;
		return $this;
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
