import { describe, expect, it } from 'vitest';
import { readPluginFile } from '../scripts/plugin-files.ts';
import { POT_FILE, pluginPot, potText } from '../scripts/plugin-pot.ts';
import { extractStrings } from '../scripts/translatable-strings.ts';

const readSample = (code: string) => extractStrings(`<?php\nnamespace A;\n${code}\n`, 'sample.php');

describe('translatable strings', () => {
  it('are all in the .pot file (if this fails: npm run plugin:pot)', () => {
    expect(readPluginFile(POT_FILE)).toBe(pluginPot());
  });

  it('are found in every context', () => {
    const strings = readSample(`
      function f() { return [ 'a' => \\__( 'One', 'steward' ) ]; }
      if ( $x ) { ?><p><?php esc_html_e( "Two's", 'steward' ); ?></p><?php }
      $f = static fn() => sprintf( _n( '%d site', '%d sites', $n, 'steward' ), $n );
      echo esc_html_x( 'Read', 'past tense', 'steward' );
      echo _nx( '%d post', '%d posts', $n, 'noun', 'steward' );
    `);
    expect(strings).toEqual([
      { text: 'One', file: 'sample.php' },
      { text: "Two's", file: 'sample.php' },
      { text: '%d site', plural: '%d sites', file: 'sample.php' },
      { text: 'Read', context: 'past tense', file: 'sample.php' },
      { text: '%d post', plural: '%d posts', context: 'noun', file: 'sample.php' },
    ]);
  });

  it('include the comments for translators', () => {
    const strings = readSample(`
      /* translators: %s: a name */
      $a = sprintf( __( 'Hello %s', 'steward' ), $b );
      f(
        // translators: %d: a count
        __( '%d left', 'steward' ),
        __( 'Nothing', 'steward' )
      );
      /* Something else */
      __( 'Bare', 'steward' );
    `);
    const hints = strings.map(({ hint }) => hint);
    expect(hints).toEqual([
      'translators: %s: a name',
      'translators: %d: a count',
      undefined,
      undefined,
    ]);
  });

  it('exclude methods with the same name', () => {
    expect(readSample("$this->__( 'a' ); A::__( $b );")).toEqual([]);
  });

  const refused: Record<string, string> = {
    'another text domain': "__( 'a', 'other' );",
    'no text domain': "esc_html__( 'a' );",
    'no text domain, but a context': "_x( 'a', 'steward' );",
    'a text domain that is not literal': "__( 'a', $domain );",
    'a text that is not literal': "__( $a, 'steward' );",
    'a concatenated text': "__( 'a' . 'b', 'steward' );",
    'a text with a variable in it': `__( "a $b", 'steward' );`,
    'a plural that is not literal': "_n( 'a', $b, 2, 'steward' );",
    'a context that is not literal': "_x( 'a', CONTEXT, 'steward' );",
  };
  for (const [what, code] of Object.entries(refused)) {
    it(`are rejected with ${what}`, () => {
      expect(() => readSample(code)).toThrow(/^sample\.php:3: /);
    });
  }
});

describe('.pot file', () => {
  it('has one message per text, with all its files and forms', () => {
    const pot = potText([
      { text: 'a "b"\n\\', file: 'one.php' },
      { text: '%d x', file: 'one.php', hint: 'translators: %d: count' },
      { text: '%d x', plural: '%d y', file: 'two.php' },
      { text: '%d x', context: 'c', file: 'two.php' },
    ]);
    expect(pot.split('\n\n').slice(1).join('\n\n')).toBe(`#: one.php
msgid "a \\"b\\"\\n\\\\"
msgstr ""

#. translators: %d: count
#: one.php
#: two.php
#, php-format
msgid "%d x"
msgid_plural "%d y"
msgstr[0] ""
msgstr[1] ""

#: two.php
#, php-format
msgctxt "c"
msgid "%d x"
msgstr ""
`);
  });
});
