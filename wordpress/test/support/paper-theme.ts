import type { ThemeOptions } from '@steward/testkit/wordpress/fixtures.ts';

const HEADER = `<header><p><?php bloginfo( 'name' ); ?></p><nav>Start Products Journal Contact Imprint</nav></header>`;
const LOOP = `<?php while ( have_posts() ) { the_post(); ?><article><h1><?php the_title(); ?></h1><?php the_content(); ?></article><?php } ?>`;
const FOOTER = `<footer>Paper and Sons, printers of fine books in the old town, open from Monday to Friday</footer>`;

/** A classic theme with the usual parts of a page. */
export function paperTheme({
  main = LOOP,
  footer = FOOTER,
  body = '',
} = {}): Required<ThemeOptions> {
  const page = `<!DOCTYPE html><html <?php language_attributes(); ?>>
    <head><title><?php echo wp_get_document_title(); ?></title><?php wp_head(); ?></head>
    <body><?php wp_body_open(); ?>${HEADER}<main>${main}</main>${footer}<?php wp_footer(); ?></body></html>`;
  return { body, files: { 'index.php': page } };
}
