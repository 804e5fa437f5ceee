import { describe, expect, it } from 'vitest';
import { describeOutput } from './describe-output.ts';

const KEY = 'STWS-0123456-789ABCD-EFGHJKM-NPQRSTV';
const warning = (file: string, text = 'Undefined variable $x') =>
  `<br />\n<b>Warning</b>:  ${text} in <b>${file}</b> on line <b>3</b><br />\n{"success":tr`;

describe('describeOutput', () => {
  it.each([
    ['/srv/a/wp-content/plugins/shop/shop.php', 'Update or deactivate the plugin shop.'],
    ['/srv/a/wp-content/themes/paper/functions.php', 'Update or change the theme paper.'],
    ['/srv/a/wp-content/mu-plugins/cache.php', 'Correct the must-use plugin cache.php.'],
    ['/srv/a/wp-config.php', 'Correct the file wp-config.php.'],
    ['C:\\sites\\a\\wp-content\\plugins\\shop\\shop.php', 'Update or deactivate the plugin shop.'],
  ])('names the place of a PHP warning in %s', (file, fix) => {
    const output = describeOutput(warning(file), KEY);
    expect(output?.fix).toContain(fix);
    expect(output?.quote).toMatch(/^Warning: Undefined variable \$x in \S+\.php on line 3$/);
    expect(JSON.stringify(output)).not.toMatch(/srv|sites/);
  });

  it('quotes the first message only, shortens it and masks keys', () => {
    const text = `Notice: key ${KEY} ${'x'.repeat(200)} in /srv/x.php:7\n${warning('/srv/y.php')}`;
    const { quote = '', fix = '' } = describeOutput(text, KEY) ?? {};
    expect(quote).toMatch(/^Notice: key \S+ x+…$/);
    expect(quote.length).toBeLessThanOrEqual(160);
    expect(quote).not.toContain(KEY);
    expect(fix).toContain('the file x.php');
  });

  it('recognises a byte order mark', () => {
    expect(describeOutput('\uFEFF{"success":', KEY)).toMatchObject({
      quote: '',
      fix: expect.stringContaining('byte order mark'),
    });
  });

  it.each(['<!doctype html><title>My blog</title>', '', 'Forbidden by rule 7'])(
    'finds no cause in: %s',
    (text) => {
      expect(describeOutput(text, KEY)).toBeNull();
    },
  );
});
