import { describe, expect, it } from 'vitest';
import { siteAddress, siteName } from './site-name.ts';

describe('siteName', () => {
  it('is the name of the panel, or the id', () => {
    expect(siteName({ site_id: 7, site_name: 'Acme (acme.example)' })).toBe('Acme (acme.example)');
    expect(siteName({ site_id: 7, site_name: null })).toBe('Site 7');
  });
});

describe('siteAddress', () => {
  it('is the host and the path', () => {
    expect(siteAddress('HTTPS://acme.example/shop/')).toBe('acme.example/shop');
  });
});
