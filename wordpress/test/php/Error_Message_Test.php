<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Watchdog\Error_Message;
use Steward\Watchdog\Error_Watch;

final class Error_Message_Test extends TestCase {

	private const SECRET = 'Tr0ub4dor';

	public static function setUpBeforeClass(): void {
		Error_Watch::load();
	}

	protected function setUp(): void {
		Site_Folder::reset();
		mkdir( WP_PLUGIN_DIR . '/shop' );
	}

	private static function redact( string $message ): string {
		return Error_Message::redact( $message, 'plugin', 'shop/shop.php' );
	}

	/** @dataProvider list_readable */
	public function test_the_text_of_a_programmer_stays( string $message, string $expected ): void {
		self::assertSame( $expected, self::redact( str_replace( '{plugins}', WP_PLUGIN_DIR, $message ) ) );
	}

	public static function list_readable(): array {
		return [
			[ "Uncaught Error: Call to undefined function shop_get_price() in {plugins}/shop/shop.php:12\nStack trace:\n#0 {main}\n  thrown", 'Uncaught Error: Call to undefined function shop_get_price()' ],
			[ "Uncaught Error: Call to undefined method Shop\\Cart::total() in {plugins}/shop/shop.php:12\nStack trace:\n#0 {main}\n  thrown", 'Uncaught Error: Call to undefined method Shop\\Cart::total()' ],
			[ 'Uncaught TypeError: WC_Product_Factory::create(): Argument #1 ($id) must be of type array, string given, called in {plugins}/shop/inc/cart.php on line 34', 'Uncaught TypeError: WC_Product_Factory::create(): Argument #N ($id) must be of type array, string given, called in inc/cart.php on line N' ],
			[ 'Allowed memory size of 134217728 bytes exhausted (tried to allocate 20480 bytes)', 'Allowed memory size of N bytes exhausted (tried to allocate N bytes)' ],
			[ 'Maximum execution time of 30 seconds exceeded', 'Maximum execution time of N seconds exceeded' ],
			[ "Uncaught Error: Failed opening required '{plugins}/shop/inc/shop.php' (include_path='.:/usr/share/php')", 'Uncaught Error: Failed opening required inc/shop.php …' ],
			[ 'syntax error, unexpected token ";", expecting "]"', 'syntax error, unexpected token …, expecting …' ],
			[ 'Uncaught DivisionByZeroError: Division by zero', 'Uncaught DivisionByZeroError: Division by zero' ],
			[ "Uncaught Exception: The cart can't be opened", 'Uncaught Exception: The cart can’t be opened' ],
			[ 'Uncaught Error: Class "Shop\\Cart" not found', 'Uncaught Error: Class … not found' ],
		];
	}

	/** @dataProvider list_secrets */
	public function test_a_value_is_removed( string $message, string ...$secrets ): void {
		$redacted = self::redact( 'Uncaught Exception: ' . $message );
		self::assertLessThanOrEqual( 200, mb_strlen( $redacted ) );
		foreach ( $secrets ?: [ self::SECRET ] as $secret ) {
			self::assertStringNotContainsStringIgnoringCase( $secret, $redacted );
		}
		self::assertStringStartsWith( 'Uncaught Exception:', $redacted );
	}

	public static function list_secrets(): array {
		return [
			'single quotes'            => [ "Wrong password 'Tr0ub4dor' for the user" ],
			'double quotes'            => [ 'Wrong password "Tr0ub4dor" for the user' ],
			'backticks'                => [ 'Unknown column `Tr0ub4dor` in the list' ],
			'German quotes'            => [ 'Das Kennwort „Geheim Wort“ ist falsch', 'geheim', 'wort“' ],
			'French quotes'            => [ 'Mot de passe «Mon Secret» incorrect', 'secret' ],
			'typographic quotes'       => [ 'The value ‘my secret’ and “other secret” are wrong', 'secret' ],
			'Japanese quotes'          => [ '値「ひみつ」は無効です', 'ひみつ' ],
			'a contraction before'     => [ "Can't sign in with 'correct horse battery' now", 'correct', 'horse', 'battery' ],
			'a quote in the value'     => [ "The name 'O'Brien secret' is unknown", 'brien', 'secret' ],
			'an escaped quote'         => [ "Query 'a\\'secret word' failed", 'secret', 'word' ],
			'quotes without spaces'    => [ "SELECT x'secretvalue'y", 'secretvalue' ],
			'a value that is cut off'  => [ "Cannot parse 'my secret text", 'secret' ],
			'nested quotes'            => [ 'Value "a \'secret\' b" is invalid', 'secret' ],
			'mixed quotes'             => [ '"it\'s secret" or "other secret\' one"', 'secret' ],
			'entities'                 => [ 'The value &quot;secret&quot; or &#039;secret&#039; is wrong', 'secret' ],
			'SQL'                      => [ "INSERT INTO users (name, pass) VALUES ('max', 'hunter two', 4711)", 'max', 'hunter', '4711' ],
			'SQL with unquoted values' => [ 'SELECT * FROM users WHERE token=abcdef AND id = 4711', 'abcdef', '4711' ],
			'JSON'                     => [ 'Invalid JSON {"password":"hunter","pin":4711}', 'hunter', '4711' ],
			'escaped JSON'             => [ 'Invalid JSON {\\"password\\":\\"hunter\\"}', 'hunter' ],
			'an e-mail address'        => [ 'Cannot send to max.mustermann+shop@example.co.uk now', 'mustermann', 'example' ],
			'an international address' => [ 'Cannot send to jürgen@müller.de now', 'jürgen', 'müller' ],
			'a URL'                    => [ 'GET https://user:pass@api.example.com/v1?key=abc failed', 'api.example', 'pass@', 'abc' ],
			'a database URL'           => [ 'Cannot connect to mysql://root:toor@db.internal/shop', 'toor', 'db.internal' ],
			'a URL without a scheme'   => [ 'Cannot open www.secret-shop.example/path', 'secret-shop' ],
			'an IPv4 address'          => [ 'Connection from 203.0.113.77 refused', '203', '113', '77' ],
			'an IPv6 address'          => [ 'Connection from 2001:db8::ff00:42:8329 refused', 'db8', 'ff00' ],
			'an IPv6 address of letters' => [ 'Connection from fe80::abcd:beef refused', 'beef' ],
			'a hash'                   => [ 'Bad nonce 5f4dcc3b5aa765d61d8327deb882cf99 sent', '5f4dcc', 'deb882' ],
			'a hash of letters'        => [ 'Bad nonce abcdefabcdefabcdefabcdefabcdefabcdefabcdef sent', 'abcdefabc' ],
			'base64'                   => [ 'Bad header QWxhZGRpbjpvcGVuIHNlc2FtZQ== sent', 'QWxhZGRp' ],
			'base64 without padding'   => [ 'Bad header QWxhZGRpbjpvcGVuIHNlc2Ft sent', 'QWxhZGRp' ],
			'a Stripe key'             => [ 'Invalid API key sk_live_abcdefghijklmnop given', 'abcdefgh' ],
			'a JSON web token'         => [ 'Invalid token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_ghi', 'eyJ', 'abc-def' ],
			'a bearer token'           => [ 'Header Authorization: Bearer abcdefgh rejected', 'abcdefgh' ],
			'basic authentication'     => [ 'Header Authorization: Basic dXNlcjpwYXNz rejected', 'dXNlcjpw' ],
			'a UUID'                   => [ 'Order 550e8400-e29b-41d4-a716-446655440000 missing', '550e8400', 'e29b' ],
			'a phone number'           => [ 'Cannot call +49 170 1234567', '170', '1234567' ],
			'a credit card'            => [ 'Card 4111 1111 1111 1111 declined', '4111' ],
			'a licence key'            => [ 'Licence STWD-ABCDEF1-ABCDEF2 invalid', 'ABCDEF' ],
			'a password after a colon' => [ 'Login failed, password: hunter', 'hunter' ],
			'a German password'        => [ 'Kennwort: hunter ist falsch', 'hunter' ],
			'a password after ='       => [ 'Login failed (pwd = hunter)', 'hunter' ],
			'a heredoc'                => [ "Unexpected <<<EOT\nmy secret\nEOT", 'secret' ],
			'a private key'            => [ "Bad key -----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END", 'MIIE' ],
			'a multi-line query'       => [ "Query failed:\nSELECT 'one\ntwo secret'\nFROM x", 'secret' ],
			'a URL-encoded value'      => [ 'Bad query name%3Dsecret%26x', 'secret' ],
			'a path outside'           => [ 'Cannot write /home/max/private/file.txt now', 'max', 'private' ],
			'a Windows path'           => [ 'Cannot write C:\\Users\\Max\\file.txt now', 'Max', 'Users' ],
			'a UNC path'               => [ 'Cannot write \\\\server\\share\\file.txt now', 'server', 'share' ],
			'a path of the site'       => [ 'Cannot write ' . WP_CONTENT_DIR . '/uploads/invoices/max.pdf now', 'invoices', 'uploads' ],
			'invalid UTF-8'            => [ "Bad value 'secret\xff\xfe' here", 'secret' ],
			'control characters'       => [ "Bad\x00value \x1b[31m'secret'", 'secret', "\x1b" ],
			'trace arguments'          => [ "Oops in /srv/x.php:12\nStack trace:\n#0 /srv/y.php(3): login('max', 'hunter')\n#1 {main}", 'max', 'hunter', 'srv' ],
			'a serialized value'       => [ 'Bad data a:1:{s:4:"pass";s:6:"hunter";}', 'hunter' ],
			'a very long text'         => [ str_repeat( "word 'secret' ", 5000 ), 'secret' ],
		];
	}

	public function test_the_name_of_a_file_contains_no_value(): void {
		self::assertSame( 'cache/….php', Error_Message::redact_path( 'cache/5f4dcc3b5aa765d61d8327deb882cf99.php' ) );
		self::assertSame( 'cache/…', Error_Message::redact_path( 'cache/max@example.com.php' ) );
		self::assertSame( 'inc/class-cart2.php', Error_Message::redact_path( 'inc/class-cart2.php' ) );
	}

	public function test_a_text_is_cut_between_characters(): void {
		self::assertSame( 'äö', Error_Message::cut( 'äöü', 2 ) );
	}
}
