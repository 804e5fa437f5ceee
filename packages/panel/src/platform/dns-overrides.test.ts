import { createTarget, siteClient, startHttpSite } from '@steward/testkit/sites/fake-sites.ts';
import { describe, expect, it } from 'vitest';
import { createAddressLookup } from './address-lookup.ts';
import { createSiteLookup, parseDnsOverrides } from './dns-overrides.ts';

const listed = (text: string) => {
  const addresses = parseDnsOverrides(text);
  if (!addresses) throw new Error(`Invalid addresses: ${text}`);
  return addresses;
};
const HERE = listed('bakery.demo=127.0.0.1');

describe('SITE_ADDRESSES', () => {
  it('maps names to all their addresses', async () => {
    const addresses = listed(
      ' a.example=192.0.2.1,A.example. = 2001:db8::1 ,bücher.example=10.0.0.1',
    );
    expect([...addresses]).toEqual([
      [
        'a.example',
        [
          { address: '192.0.2.1', family: 4 },
          { address: '2001:db8::1', family: 6 },
        ],
      ],
      ['xn--bcher-kva.example', [{ address: '10.0.0.1', family: 4 }]],
    ]);
  });

  for (const text of [
    'shop.example.com',
    'shop.example.com=',
    '=10.0.0.1',
    'shop.example.com=10.0.0',
    'shop.example.com=other.example.com',
    'shop.example.com:8080=10.0.0.1',
    'http://shop.example.com=10.0.0.1',
    'shop.example.com/blog=10.0.0.1',
    'shop.example.com=10.0.0.1=10.0.0.2',
    'shop.example.com=10.0.0.1,',
    '10.0.0.1=10.0.0.2',
    '*.example.com=10.0.0.1',
  ]) {
    it(`rejects ${text}`, () => expect(parseDnsOverrides(text)).toBeUndefined());
  }

  it('connects to the address and sends the name as Host', async () => {
    const hosts: (string | undefined)[] = [];
    const site = await startHttpSite((request, response) => {
      hosts.push(request.headers.host);
      response.end('{"success":true}');
    });
    const client = siteClient({ siteAddresses: HERE });
    const outcome = await client.sync(createTarget(`http://bakery.demo:${site.port}`));
    expect(outcome).toMatchObject({ kind: 'answered' });
    expect(hosts).toEqual([`bakery.demo:${site.port}`]);
  });

  it('does not allow private addresses', async () => {
    const site = await startHttpSite((_request, response) => void response.end('{"success":true}'));
    const client = siteClient({ siteAddresses: HERE, allowPrivateSites: false });
    const outcome = await client.sync(createTarget(`http://bakery.demo:${site.port}`));
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'private_address', sent: false });
    expect(site.connections()).toBe(0);
  });

  it('resolves all other names through the system', async () => {
    const lookup = createSiteLookup(HERE);
    expect(await lookup('localhost')).toContainEqual(
      expect.objectContaining({ address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) }),
    );
    const outcome = await siteClient({ siteAddresses: HERE }).sync(
      createTarget('http://other.invalid'),
    );
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'dns' });
  });

  it('applies to the concurrency limit per address', async () => {
    const addressOf = createAddressLookup(
      createSiteLookup(listed('a.demo=10.0.0.5,b.demo=10.0.0.5')),
    );
    const found = [await addressOf('a.demo', 'a.demo'), await addressOf('b.demo', 'b.demo')];
    expect(found).toEqual(['10.0.0.5', '10.0.0.5']);
    expect(await addressOf('no-such-name.invalid', '10.0.0.6')).toBe('10.0.0.6');
  });

  it('falls back to the last known address while DNS does not respond', async () => {
    const addressOf = createAddressLookup(() => new Promise(() => {}), 10);
    expect(await addressOf('slow.example', '10.0.0.7')).toBe('10.0.0.7');
  });
});
