import { describe, expect, it } from 'vitest';
import { isOwnAddress } from './is-own-address.ts';

const site = {
  siteUrl: 'https://shop.example.com/blog',
  endpointUrl: 'https://cms.example.com/cms-json/service/v1/',
};

describe('isOwnAddress', () => {
  it.each([
    'https://shop.example.com/blog/wp-admin/admin-post.php?action=steward_login',
    'https://cms.example.com/wp/wp-admin/admin-post.php',
    'https://SHOP.example.com:443/',
  ])('accepts %s', (address) => {
    expect(isOwnAddress(address, site)).toBe(true);
  });

  it.each([
    'https://evil.example/',
    'http://shop.example.com/',
    'https://shop.example.com:8443/',
    'https://shop.example.com.evil.example/',
    'https://shop.example.com@evil.example/',
    'https://user@shop.example.com/',
    'https://user:password@shop.example.com/',
    'javascript:alert(1)//shop.example.com',
    'data:text/html,x',
    '//shop.example.com/',
    '/wp-admin/',
    '',
  ])('refuses %s', (address) => {
    expect(isOwnAddress(address, site)).toBe(false);
  });
});
