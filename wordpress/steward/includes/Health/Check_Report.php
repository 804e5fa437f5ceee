<?php
/**
 * @package Steward
 */

namespace Steward\Health;

defined( 'ABSPATH' ) || exit;

/** How far a change was checked: for the verdict, and for the response to the panel. */
final class Check_Report {

	/** Limits of the protocol. */
	private const MAX_ENTRIES       = 20;
	private const MAX_NAME_LENGTH   = 200;
	private const MAX_REASON_LENGTH = 500;
	private const MAX_DETAIL_LENGTH = 300;

	/** @var int */
	private $planned;

	/** @var int */
	private $compared = 0;

	/** @var string Why a page could not be compared: the first reason. */
	private $reason = '';

	/** @var array[] */
	private $differences = [];

	/** @var array[] */
	private $notes = [];

	public function __construct( int $planned = 0 ) {
		$this->planned = $planned;
	}

	/** Explains why a page could not be compared, as a part of a sentence. */
	public static function explain( Page $page, Page_Result $result ): string {
		if ( $result->runs_old_code() ) {
			return __( 'PHP still runs the old code: restart PHP', 'steward' );
		}
		if ( $result->is_timed_out() ) {
			return $result->is_started_at_once
				/* translators: %s: Name of a page. */
				? sprintf( __( '%s did not respond in time', 'steward' ), $page->name )
				: __( 'this host answers one request at a time', 'steward' );
		}
		if ( $result->is_skipped ) {
			return __( 'the pages of this site are too slow', 'steward' );
		}
		if ( 0 === $result->status ) {
			/* translators: %s: Error message. */
			return sprintf( __( 'the site cannot connect to itself (%s)', 'steward' ), $result->failure );
		}
		if ( ! $result->is_built() && $result->status >= 200 && $result->status < 300 ) {
			/* translators: %s: Name of a page. */
			return sprintf( __( 'a cache or a server in front of WordPress sent %s', 'steward' ), $page->name );
		}
		if ( $result->status >= 300 ) {
			/* translators: 1: Name of a page, 2: HTTP status code. */
			return sprintf( __( 'the site cannot open %1$s itself (HTTP status %2$d)', 'steward' ), $page->name, $result->status );
		}
		/* translators: %s: Name of a page. */
		return sprintf( __( 'PHP did not finish %s', 'steward' ), $page->name );
	}

	/** @param string $reason Part of a sentence, or '' if there is no other reason than that of an earlier page. */
	public function add_reason( string $reason ): void {
		$this->reason = '' === $this->reason ? wp_html_excerpt( $reason, self::MAX_REASON_LENGTH ) : $this->reason;
	}

	/** Call this for a page that no longer exists. */
	public function drop_page(): void {
		--$this->planned;
	}

	/** @param array[] $differences See Page_Result::differences_since(). */
	public function add_compared( Page $page, array $differences ): void {
		++$this->compared;
		foreach ( $differences as $difference ) {
			$this->add_difference( $page->name, $difference );
		}
	}

	/** @param string $page Name of a page; '' if the difference concerns the whole site. */
	public function add_difference( string $page, array $difference ): void {
		$list = empty( $difference['is_note'] ) ? 'differences' : 'notes';
		unset( $difference['is_note'] );
		if ( isset( $difference['detail'] ) ) {
			$difference['detail'] = wp_html_excerpt( $difference['detail'], self::MAX_DETAIL_LENGTH );
		}
		if ( count( $this->$list ) < self::MAX_ENTRIES ) {
			$this->{$list}[] = [ 'page' => wp_html_excerpt( $page, self::MAX_NAME_LENGTH ) ] + $difference;
		}
	}

	/** The verdict if nothing is broken. */
	public function verdict(): Verdict {
		return [] === $this->differences && $this->compared >= $this->planned && $this->compared > 0 ? Verdict::healthy() : Verdict::unverified( $this->reason );
	}

	/** @return array{pages_planned: int, pages_compared: int, reason?: string, differences?: array[], notes?: array[]}|null */
	public function to_array(): ?array {
		if ( 0 === $this->planned ) {
			return null;
		}
		return [
			'pages_planned'  => $this->planned,
			'pages_compared' => $this->compared,
		] + array_filter(
			[
				'reason'      => $this->compared < $this->planned ? $this->reason : '',
				'differences' => $this->differences,
				'notes'       => $this->notes,
			]
		);
	}
}
