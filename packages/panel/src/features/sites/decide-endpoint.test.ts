import { describe, expect, it } from 'vitest';
import { decideEndpoint, type EndpointRecord } from './decide-endpoint.ts';

const HOME = 'https://shop.example.com/';
const DEFAULT = `${HOME}cms-json/service/v1/`;
const STANDARD = `${HOME}wp-json/service/v1/`;
const FOLDER = `${HOME}other/wp-json/service/v1/`;
const OTHER_HOST = 'https://cms.example.com/wp-json/service/v1/';
const PROVEN_AT = new Date(0);

const decide = (record: Partial<EndpointRecord>) =>
  decideEndpoint({
    url: HOME,
    endpoint_url: null,
    approved_endpoint_url: null,
    has_site_key: true,
    proven_at: null,
    proven_endpoint_url: null,
    ...record,
  });
const proven = (proven_endpoint_url: string) => ({ proven_at: PROVEN_AT, proven_endpoint_url });

describe('a site with a site key', () => {
  it.each<[string, Partial<EndpointRecord>, string, string | null]>([
    ['a new site', {}, DEFAULT, null],
    ['an endpoint without proof', { endpoint_url: STANDARD }, STANDARD, null],
    ['a proven endpoint', { endpoint_url: STANDARD, ...proven(STANDARD) }, STANDARD, STANDARD],
    ['the default endpoint, not reported', proven(DEFAULT), DEFAULT, DEFAULT],
    [
      'another spelling of the proven endpoint',
      proven('https://SHOP.example.com:443/cms-json/service/v1/'),
      DEFAULT,
      DEFAULT,
    ],
    ['a new standard endpoint', { endpoint_url: STANDARD, ...proven(DEFAULT) }, STANDARD, DEFAULT],
    ['a proof without its time', { proven_endpoint_url: DEFAULT }, DEFAULT, null],
    ['a proof without its endpoint', { proven_at: PROVEN_AT }, DEFAULT, null],
    ['a folder without approval', { endpoint_url: FOLDER, ...proven(FOLDER) }, DEFAULT, null],
    [
      'an approved folder without proof',
      { endpoint_url: FOLDER, approved_endpoint_url: FOLDER, ...proven(DEFAULT) },
      FOLDER,
      DEFAULT,
    ],
    [
      'an approved and proven folder',
      { endpoint_url: FOLDER, approved_endpoint_url: FOLDER, ...proven(FOLDER) },
      FOLDER,
      FOLDER,
    ],
    [
      'an approved and proven host',
      { endpoint_url: OTHER_HOST, approved_endpoint_url: OTHER_HOST, ...proven(OTHER_HOST) },
      OTHER_HOST,
      OTHER_HOST,
    ],
    [
      'another path on an approved host',
      {
        endpoint_url: `${OTHER_HOST}x/`,
        approved_endpoint_url: OTHER_HOST,
        ...proven(`${OTHER_HOST}x/`),
      },
      DEFAULT,
      null,
    ],
    [
      'an endpoint of its former address',
      { url: 'https://www.shop.example.com', endpoint_url: STANDARD, ...proven(STANDARD) },
      'https://www.shop.example.com/cms-json/service/v1/',
      null,
    ],
  ])('%s', (_what, record, chosenUrl, callUrl) => {
    expect(decide(record)).toEqual({ chosenUrl, callUrl, needsProof: callUrl !== chosenUrl });
  });

  it('is not called if its address is not valid', () => {
    const endpoint = { chosenUrl: null, callUrl: null, needsProof: true };
    expect(decide({ url: 'https://0x7f.1', ...proven(DEFAULT) })).toEqual(endpoint);
  });
});

describe('a site with the shared license key', () => {
  it.each<[string, Partial<EndpointRecord>, string]>([
    ['its default endpoint', {}, DEFAULT],
    ['a standard endpoint', { endpoint_url: STANDARD }, STANDARD],
    ['a folder without approval', { endpoint_url: FOLDER }, DEFAULT],
    ['an approved folder', { endpoint_url: FOLDER, approved_endpoint_url: FOLDER }, FOLDER],
    ['another host', { endpoint_url: OTHER_HOST, approved_endpoint_url: OTHER_HOST }, DEFAULT],
  ])('%s', (_what, record, url) => {
    const endpoint = { chosenUrl: url, callUrl: url, needsProof: false };
    expect(decide({ ...record, has_site_key: false })).toEqual(endpoint);
  });
});
