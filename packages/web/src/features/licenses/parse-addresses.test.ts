import { describe, expect, it } from 'vitest';
import { parseAddresses } from './parse-addresses.ts';

describe('the addresses of sites to connect', () => {
  it.each([
    [
      'a pasted list',
      'https://a.example\n\n  b.example/blog \r\n',
      ['https://a.example', 'b.example/blog'],
    ],
    ['a name that looks like a host', 'Node.js,https://a.example/', ['https://a.example/']],
    [
      'a CSV file with a header and quotes',
      '"Site Name","URL","Tags"\n"Shop, Berlin","https://shop.example/","retail"\n"Blog","https://blog.example/",',
      ['https://shop.example/', 'https://blog.example/'],
    ],
    ['semicolons', 'name;url\nShop;http://shop.example:8080/wp', ['http://shop.example:8080/wp']],
    ['an internationalized domain', 'https://müller.example', ['https://müller.example']],
    ['duplicates', 'https://a.example\nHTTP://A.example/', ['HTTP://A.example/']],
  ])('are found in %s', (_case, text, addresses) => {
    expect(parseAddresses(text)).toEqual({ addresses, invalid: [] });
  });

  it('names the lines without an address', () => {
    const text =
      'https://a.example\nto be done\njavascript:alert(1)\nhttps://a b.example\nlocalhost';
    expect(parseAddresses(text).invalid).toEqual([
      'to be done',
      'javascript:alert(1)',
      'https://a b.example',
      'localhost',
    ]);
  });

  it('finds nothing that could leave the comment or the quotes of a shell command', () => {
    for (const text of [
      "https://a.example/';id;'",
      'https://a.example/$(id)\u2028"',
      'https://a.example/<x>',
    ]) {
      for (const address of parseAddresses(text).addresses) expect(address).not.toMatch(/['"<>\s]/);
    }
  });
});
