<?php
/**
 * @package Steward
 */

namespace Steward\Test;

use PHPUnit\Framework\TestCase;
use Steward\Health\Page_Text;

final class Page_Text_Test extends TestCase {

	private const ARTICLE = 'Our books are bound by hand in a small workshop near the river as they were a century ago, with paper from the mill and ink from the old town, and every copy is numbered.';
	private const MENU    = 'Start Products Journal Contact Imprint Basket Account Search Newsletter Shops Jobs Press';

	/** @dataProvider similar_pages */
	public function test_a_page_with_the_same_text_is_similar( string $before, string $after ): void {
		self::assertSame( 1.0, ( new Page_Text( $after ) )->similarity( new Page_Text( $before ) ) );
	}

	public static function similar_pages(): array {
		$page = self::page( self::ARTICLE );
		return [
			'the same page'                  => [ $page, $page ],
			'other markup'                   => [ $page, str_replace( [ '<main>', 'by hand' ], [ '<main class="wide">', '<em>by</em> <a href="/?x=1">hand</a>' ], $page ) ],
			'other scripts and styles'       => [ $page, str_replace( '</head>', '<script>var total = "lots of other words";</script><style>p { color: red }</style></head>', $page ) ],
			'other numbers'                  => [ self::page( self::ARTICLE . ' 12 visitors, 19.99' ), self::page( self::ARTICLE . ' 4711 visitors, 25.00' ) ],
			'entities'                       => [ self::page( self::ARTICLE . ' Fathers & sons' ), self::page( self::ARTICLE . ' Fathers &amp; sons' ) ],
			'capital letters'                => [ $page, self::page( strtoupper( self::ARTICLE ) ) ],
			'a page with too few words'      => [ '<p>One lamp</p>', '<p>Two chairs</p>' ],
			'a page without any text before' => [ '', $page ],
			'a long notice'                  => [ $page, str_replace( '<footer>', '<aside>' . str_repeat( 'we use cookies on this site please read and accept ', 30 ) . '</aside><footer>', $page ) ],
		];
	}

	/** @dataProvider different_pages */
	public function test_a_page_with_another_text_differs( string $before, string $after ): void {
		self::assertLessThan( 0.5, ( new Page_Text( $after ) )->similarity( new Page_Text( $before ) ) );
	}

	public static function different_pages(): array {
		$error = self::page( 'The service could not be reached, please contact support.' );
		return [
			'an error in place of the main part, between long menus' => [ self::page( self::ARTICLE ), $error ],
			'no main part any more' => [ self::page( self::ARTICLE ), str_replace( [ '<main>', '</main>' ], [ '<div>', '</div>' ], $error ) ],
			'an empty page'         => [ self::page( self::ARTICLE ), '' ],
			'a list in JSON'        => [ json_encode( [ [ 'content' => '<p>' . self::ARTICLE . '</p>' ] ] ), '[]' ],
			'a text in Hindi'       => [ self::page( str_repeat( 'हमारी किताबें हाथ से बनाई जाती हैं। ', 6 ) ), self::page( str_repeat( 'पृष्ठ नहीं मिला कृपया बाद में प्रयास करें। ', 6 ) ) ],
			'a text in Khmer'       => [ self::page( str_repeat( 'សៀវភៅរបស់យើង', 6 ) ), self::page( '' ) ],
			'a text without spaces' => [ self::page( str_repeat( '手作業で製本された本を小さな工房で作っています。', 2 ) ), self::page( str_repeat( 'エラーが発生したためページを表示できません。', 2 ) ) ],
		];
	}

	public function test_a_text_that_is_not_utf_8_is_compared_too(): void {
		$before = self::page( str_replace( 'river', "fl\xFC\xDFchen", self::ARTICLE ) );
		self::assertSame( 1.0, ( new Page_Text( $before ) )->similarity( new Page_Text( $before ) ) );
		self::assertLessThan( 0.5, ( new Page_Text( self::page( "\xFC" ) ) )->similarity( new Page_Text( $before ) ) );
	}

	public function test_a_small_change_in_a_long_text_is_similar(): void {
		$similarity = ( new Page_Text( self::page( self::ARTICLE . ' Now also on Saturdays.' ) ) )->similarity( new Page_Text( self::page( self::ARTICLE ) ) );
		self::assertGreaterThan( 0.8, $similarity );
	}

	public function test_title_and_heading_are_read_without_markup(): void {
		$text = new Page_Text( '<title>Paper &amp; Sons</title><svg><title>Icon</title></svg><h1 class="a">Our <em>books</em></h1><h1>Other</h1>' );
		self::assertSame( [ 'paper & sons', 'our books' ], [ $text->title, $text->heading ] );
	}

	/** @dataProvider parts */
	public function test_a_part_that_has_lost_its_text_is_named( string $after, string $part ): void {
		self::assertSame( $part, ( new Page_Text( $after ) )->find_emptied_part( new Page_Text( self::page( self::ARTICLE ) ) ) );
	}

	public static function parts(): array {
		return [
			'nothing'               => [ self::page( self::ARTICLE ), '' ],
			'footer'                => [ self::page( self::ARTICLE, '' ), 'footer' ],
			'main part'             => [ self::page( '' ), 'main' ],
			'page without its main' => [ '<p>' . self::ARTICLE . '</p>', '' ],
		];
	}

	/** @dataProvider hostile_pages */
	public function test_any_page_is_read( string $page ): void {
		self::assertIsFloat( ( new Page_Text( $page ) )->similarity( new Page_Text( self::page( self::ARTICLE ) ) ) );
	}

	public static function hostile_pages(): array {
		return [
			'unclosed script'      => [ '<script>' . str_repeat( 'x ', 100000 ) ],
			'many unclosed tags'   => [ str_repeat( '<script <style <title ', 50000 ) ],
			'end before the start' => [ '</main></title><main>' ],
			'NUL and control'      => [ "\0\1\2<main>\0</main>" ],
			'very long'            => [ str_repeat( '<p>word</p>', 300000 ) ],
		];
	}

	private static function page( string $main, string $footer = 'Printers of fine books in the old town' ): string {
		return '<html><head><title>Paper</title></head><body><nav>' . self::MENU . "</nav><main>$main</main><footer>$footer</footer></body></html>";
	}
}
