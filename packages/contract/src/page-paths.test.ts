import { describe, expect, it } from 'vitest';
import { findPagePathProblem, resolvePagePath } from './page-paths.ts';

const home = new URL('https://example.com/shop/');

describe('findPagePathProblem', () => {
  it.each([
    ['checkout/', 'no_path'],
    ['https://example.com/checkout/', 'no_path'],
    ['', 'no_path'],
    [`/${'a'.repeat(500)}`, 'too_long'],
    ['/a b/', 'not_allowed'],
    ['/a\n', 'not_allowed'],
    ['/cart/#top', 'not_allowed'],
    ['/\\evil.example/', 'not_allowed'],
    ['//evil.example/', 'elsewhere'],
    ['/../other-shop/', 'elsewhere'],
    ['/a/../../other-shop/', 'elsewhere'],
    ['/%2e%2e/other-shop/', 'elsewhere'],
    ['/wp-login.php?action=logout', 'changes_site'],
    ['/?ACTION=delete', 'changes_site'],
    ['/?action[]=delete', 'changes_site'],
    ['/cart/?remove_item=1', 'changes_site'],
    ['/shop/?p=1&_wpnonce=abc', 'changes_site'],
    ['/?%61ction=delete', 'changes_site'],
    ['/?steward_check=1', 'changes_site'],
  ])('refuses %j: %s', (path, problem) => {
    expect(findPagePathProblem(path)).toBe(problem);
  });

  it.each(['/', '/checkout/', '/?page_id=2', '/termin/?tag=1&lang=de', `/${'a'.repeat(499)}`])(
    'accepts %j',
    (path) => expect(findPagePathProblem(path)).toBeNull(),
  );
});

describe('resolvePagePath', () => {
  it.each([
    ['/checkout/', 'https://example.com/shop/checkout/'],
    ['/', 'https://example.com/shop/'],
    ['/?p=2', 'https://example.com/shop/?p=2'],
    ['/@evil.example/', 'https://example.com/shop/@evil.example/'],
  ])('resolves %s below the home address', (path, href) => {
    expect(resolvePagePath(home, path)?.href).toBe(href);
  });

  it.each([
    '//evil.example/',
    '/../',
    '@evil.example/',
    'https://evil.example/',
    '/\\evil.example',
  ])('refuses %s', (path) => {
    expect(resolvePagePath(home, path)).toBeNull();
    expect(resolvePagePath(new URL('https://example.com/'), path)).toBeNull();
  });
});
