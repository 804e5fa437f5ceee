import { canonicalSiteUrl } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { defaultEndpointOf, parseOtherEndpoint, parseStandardEndpoint } from './endpoint-url.ts';

function parseSite(address: string) {
  const site = canonicalSiteUrl(address);
  if (!site.ok) throw new Error(site.reason);
  return site;
}

const SHOP = parseSite('https://shop.example.com');
const FOLDER = parseSite('https://example.com/shop/');

describe('a standard endpoint', () => {
  it.each([
    'cms-json/service/v1/',
    'wp-json/service/v1/',
    'index.php/wp-json/service/v1/',
    '?rest_route=/service/v1/',
    'index.php?rest_route=/service/v1/',
  ])('is %s below the site URL', (path) => {
    for (const home of ['https://shop.example.com/', 'https://example.com/shop/']) {
      expect(parseStandardEndpoint(home + path, parseSite(home))).toBe(home + path);
      // Without its last slash it is the same endpoint.
      expect(parseStandardEndpoint((home + path).slice(0, -1), parseSite(home))).toBe(home + path);
    }
  });

  it.each([
    ['HTTPS://Shop.Example.com', 'https://shop.example.com/'],
    ['https://shop.example.com:443/', 'https://shop.example.com/'],
    ['https://müller.example/größe', 'https://xn--mller-kva.example/gr%C3%B6%C3%9Fe/'],
    ['https://www.example.com:8443//a//b/', 'https://www.example.com:8443/a/b/'],
  ])('has one spelling if the site is %s', (address, home) => {
    const site = parseSite(address);
    const expected = `${home}wp-json/service/v1/`;
    expect(parseStandardEndpoint(`${address.replace(/\/$/, '')}/wp-json/service/v1/`, site)).toBe(
      expected,
    );
    expect(parseStandardEndpoint(expected, site)).toBe(expected);
    expect(defaultEndpointOf(site)).toBe(`${home}cms-json/service/v1/`);
  });

  it('is below the address of a site that was given without a scheme', () => {
    const site = parseSite('example.com/shop');
    const endpoint = 'https://example.com/shop/wp-json/service/v1/';
    expect(parseStandardEndpoint(endpoint, site)).toBe(endpoint);
  });
});

describe('no standard endpoint', () => {
  it.each([
    ['another folder', 'https://shop.example.com/other/wp-json/service/v1/'],
    ['another path', 'https://shop.example.com/api/service/v1/'],
    ['another namespace', 'https://shop.example.com/wp-json/service/v2/'],
    ['a longer path', 'https://shop.example.com/wp-json/service/v1/x/'],
    ['a double slash at the end', 'https://shop.example.com/wp-json/service/v1//'],
    ['a double slash', 'https://shop.example.com//wp-json/service/v1/'],
    ['a double slash inside', 'https://shop.example.com/wp-json//service/v1/'],
    ['dots', 'https://shop.example.com/other/../wp-json/service/v1/'],
    ['encoded dots', 'https://shop.example.com/other/%2e%2e/wp-json/service/v1/'],
    ['a dot', 'https://shop.example.com/./wp-json/service/v1/'],
    ['an encoded letter', 'https://shop.example.com/%77p-json/service/v1/'],
    ['an encoded slash', 'https://shop.example.com/wp-json%2Fservice/v1/'],
    ['upper case', 'https://shop.example.com/WP-JSON/service/v1/'],
    ['a backslash', 'https://shop.example.com\\wp-json/service/v1/'],
    ['a parameter of the path', 'https://shop.example.com/wp-json/service/v1/;x'],
    ['a query', 'https://shop.example.com/wp-json/service/v1/?x=1'],
    ['an empty query', 'https://shop.example.com/wp-json/service/v1/?'],
    ['a fragment', 'https://shop.example.com/wp-json/service/v1/#x'],
    ['an empty fragment', 'https://shop.example.com/wp-json/service/v1/#'],
    ['a parameter before the route', 'https://shop.example.com/?x=1&rest_route=/service/v1/'],
    ['a parameter after the route', 'https://shop.example.com/?rest_route=/service/v1/&x='],
    ['two routes', 'https://shop.example.com/?rest_route=/x&rest_route=/service/v1/'],
    ['another route', 'https://shop.example.com/?rest_route=/service/v1/../x/'],
    ['a route that goes on', 'https://shop.example.com/?rest_route=/service/v1/x'],
    ['an encoded route', 'https://shop.example.com/?rest_route=%2Fservice/v1/'],
    ['a route as an array', 'https://shop.example.com/?rest_route[]=/service/v1/'],
    ['another script', 'https://shop.example.com/other.php?rest_route=/service/v1/'],
    ['http', 'http://shop.example.com/wp-json/service/v1/'],
    ['another port', 'https://shop.example.com:8443/wp-json/service/v1/'],
    ['www', 'https://www.shop.example.com/wp-json/service/v1/'],
    ['a trailing dot', 'https://shop.example.com./wp-json/service/v1/'],
    ['a longer host', 'https://shop.example.com.evil.example/wp-json/service/v1/'],
    ['a user name', 'https://user@shop.example.com/wp-json/service/v1/'],
    ['an empty user name', 'https://@shop.example.com/wp-json/service/v1/'],
    ['the host as user name', 'https://shop.example.com@evil.example/wp-json/service/v1/'],
    ['one slash', 'https:/shop.example.com/wp-json/service/v1/'],
    ['three slashes', 'https:///shop.example.com/wp-json/service/v1/'],
    ['no scheme', '//shop.example.com/wp-json/service/v1/'],
    ['another scheme', 'blob:https://shop.example.com/wp-json/service/v1/'],
    ['a line break', 'https://shop.example.com/wp-json/\nservice/v1/'],
    ['a space before it', ' https://shop.example.com/wp-json/service/v1/'],
    ['a tab in the host', 'https://shop.\texample.com/wp-json/service/v1/'],
    ['nothing', ''],
    ['a relative path', 'wp-json/service/v1/'],
  ])('is one with %s', (_what, endpointUrl) => {
    expect(parseStandardEndpoint(endpointUrl, SHOP)).toBeNull();
  });

  it.each([
    ['the host of a site in a folder', 'https://example.com/wp-json/service/v1/'],
    ['a folder with the same start', 'https://example.com/shop2/wp-json/service/v1/'],
    ['the folder in upper case', 'https://example.com/Shop/wp-json/service/v1/'],
    ['the query of the host', 'https://example.com/?rest_route=/service/v1/'],
  ])('is one below %s', (_what, endpointUrl) => {
    expect(parseStandardEndpoint(endpointUrl, FOLDER)).toBeNull();
  });
});

describe('another endpoint', () => {
  it.each([
    ['https://shop.example.com/other/wp-json/service/v1/', true],
    ['https://cms.example.com/', true],
    ['https://CMS.example.com/a/../b/', 'https://cms.example.com/b/'],
    ['http://shop.example.com/wp-json/service/v1/', false],
    ['https://user:secret@cms.example.com/', false],
    ['https://cms.example.com/#x', false],
    ['ftp://cms.example.com/', false],
  ])('%s may be approved: %s', (endpointUrl, expected) => {
    const result = expected === true ? endpointUrl : expected || null;
    expect(parseOtherEndpoint(endpointUrl, SHOP)).toBe(result);
  });
});
