import { readFile } from 'node:fs/promises';
import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { expect, it } from 'vitest';
import { decideEndpoint } from '../../src/features/sites/index.ts';

const MIGRATION = new URL('../../migrations/0050_proven_endpoints.sql', import.meta.url);
const UNDO = `ALTER TABLE license_activations DROP COLUMN proven_endpoint_url;
  ALTER TABLE sites DROP COLUMN approved_endpoint_url;`;
const DEFAULT = '/cms-json/service/v1/';
const STANDARD = '/wp-json/service/v1/';
const FOLDER = '/other/wp-json/service/v1/';
const OTHER_HOST = 'https://cms.example.com/wp-json/service/v1/';

/** A stored endpoint, and the chosen and the called endpoint after the migration. Paths are below the site URL. */
const PROVEN = [
  [null, DEFAULT, DEFAULT],
  [STANDARD, STANDARD, STANDARD],
  [FOLDER, FOLDER, FOLDER],
  [OTHER_HOST, OTHER_HOST, OTHER_HOST],
] as const;
const NOT_PROVEN = [
  [null, DEFAULT, null],
  [FOLDER, DEFAULT, null],
  [OTHER_HOST, OTHER_HOST, null],
] as const;
const SHARED_KEY = [
  [null, DEFAULT, DEFAULT],
  [FOLDER, FOLDER, FOLDER],
] as const;
const CASES = [
  ...PROVEN.map((row) => ({ hasSiteKey: true, isProven: true, row })),
  ...NOT_PROVEN.map((row) => ({ hasSiteKey: true, isProven: false, row })),
  ...SHARED_KEY.map((row) => ({ hasSiteKey: false, isProven: false, row })),
];

const panel = useTestPanel();
const atSite = (url: string, endpoint: string | null) =>
  endpoint?.startsWith('/') ? url + endpoint : endpoint;

async function connect({ hasSiteKey }: { hasSiteKey: boolean }, url = newSiteUrl()) {
  const { license_key } = await panel.license();
  const capabilities = hasSiteKey ? ['site_key', 'signed_calls'] : [];
  const request = { license_key, site_url: url, ...VERSIONS, capabilities };
  const { body } = await panel.post('/api/v1/license/activate', request);
  return { id: Number(body.activation.site_id), url };
}

async function migrateFrom(
  sites: { id: number; endpointUrl: string | null; isProven: boolean }[],
): Promise<void> {
  await panel.executeAsTableOwner(UNDO);
  for (const { id, endpointUrl, isProven } of sites) {
    const origin = endpointUrl === OTHER_HOST ? new URL(OTHER_HOST).origin : null;
    const columns = 'endpoint_url = $2, endpoint_origin = $3';
    await panel.pool.query(`UPDATE sites SET ${columns} WHERE id = $1`, [id, endpointUrl, origin]);
    const provenAt = isProven ? panel.fakes.now : null;
    const statement = 'UPDATE license_activations SET proven_at = $2 WHERE site_id = $1';
    await panel.pool.query(statement, [id, provenAt]);
  }
  await panel.executeAsTableOwner(await readFile(MIGRATION, 'utf8'));
}

async function readEndpoint(siteId: number) {
  const row = await panel.db
    .selectFrom('sites as s')
    .innerJoin('license_activations as a', 'a.site_id', 's.id')
    .selectAll()
    .where('s.id', '=', siteId)
    .executeTakeFirstOrThrow();
  return decideEndpoint({ ...row, has_site_key: row.site_key_hash !== null });
}

it('connected sites keep an endpoint that was proven, approved, or called with the shared license key', async () => {
  const sites = await Promise.all(
    CASES.map(async (each) => {
      const site = await connect(each);
      return { ...each, ...site, endpointUrl: atSite(site.url, each.row[0]) };
    }),
  );
  await migrateFrom(sites);
  for (const { id, url, row } of sites) {
    const { chosenUrl, callUrl } = await readEndpoint(id);
    expect({ row, chosenUrl, callUrl }).toEqual({
      row,
      chosenUrl: atSite(url, row[1]),
      callUrl: atSite(url, row[2]),
    });
  }
});

it('sites keep the proof of their default endpoint in each spelling of their address', async () => {
  const { host } = new URL(newSiteUrl());
  const spellings = [`HTTP://A-${host}/`, `//b-${host}//shop/`, `c-${host}`];
  const sites = await Promise.all(
    spellings.map(async (url) => ({
      ...(await connect({ hasSiteKey: true }, url)),
      endpointUrl: null,
      isProven: true,
    })),
  );
  await migrateFrom(sites);
  const endpoints = await Promise.all(sites.map(({ id }) => readEndpoint(id)));
  expect(endpoints.map(({ callUrl }) => callUrl)).toEqual([
    `http://a-${host}/cms-json/service/v1/`,
    `https://b-${host}/shop/cms-json/service/v1/`,
    `https://c-${host}/cms-json/service/v1/`,
  ]);
});
