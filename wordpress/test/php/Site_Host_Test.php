<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;

/** Non-ASCII hosts on servers without some PHP extensions. Another PHP process simulates them. */
final class Site_Host_Test extends TestCase {

	public function test_encoder_of_wordpress_replaces_intl(): void {
		$cases = read_vectors( 'site-urls' )['cases'];
		self::assertSame(
			array_map(
				static function ( array $vector ): ?string {
					return $vector['canonical'] ?? null;
				},
				$cases
			),
			self::canonicalize( array_column( $cases, 'input' ), 'idn_to_ascii', true )
		);
	}

	public function test_encoder_of_wordpress_gets_no_invalid_utf8(): void {
		$inputs = array_column( Site_Url_Test::invalid_utf8(), 0 );
		self::assertSame( array_fill( 0, count( $inputs ), null ), self::canonicalize( $inputs, 'idn_to_ascii', true ) );
	}

	public function test_without_mbstring_only_lower_case_hosts_are_accepted(): void {
		$inputs = [ 'https://bücher.de', 'https://BÜCHER.de' ];
		self::assertSame( [ 'xn--bcher-kva.de', null ], self::canonicalize( $inputs, 'idn_to_ascii,mb_strtolower', true ) );
	}

	public function test_without_any_encoder_only_the_ascii_form_is_accepted(): void {
		$inputs = [ 'https://bücher.de', 'https://xn--bcher-kva.de', 'https://a.de/bücher' ];
		self::assertSame( [ null, 'xn--bcher-kva.de', 'a.de/b%C3%BCcher' ], self::canonicalize( $inputs, 'idn_to_ascii', false ) );
	}

	/**
	 * @param string[] $inputs Addresses.
	 * @return array<string|null> Their canonical forms.
	 */
	private static function canonicalize( array $inputs, string $disabled_functions, bool $has_wordpress ): array {
		$command = [ 'php', '-d', "disable_functions=$disabled_functions", dirname( __DIR__ ) . '/support/plugin-in-php.php' ];
		$process = proc_open( array_merge( $command, $has_wordpress ? [ WORDPRESS_FOLDER . '/wp-includes' ] : [] ), [ [ 'pipe', 'r' ], [ 'pipe', 'w' ] ], $pipes );
		fwrite( $pipes[0], json_encode( [ 'function' => 'canonical', 'inputs' => array_map( 'base64_encode', $inputs ) ] ) );
		fclose( $pipes[0] );
		$output = stream_get_contents( $pipes[1] );
		self::assertSame( 0, proc_close( $process ), $output );
		return json_decode( $output, true, 512, JSON_THROW_ON_ERROR );
	}
}
