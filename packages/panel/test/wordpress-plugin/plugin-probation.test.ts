import type { IncomingMessage, ServerResponse } from 'node:http';
import { SERVICE_KEY_HEADER, SIGNATURE_HEADER } from '@steward/contract';
import { registerSecret, testLogger } from '@steward/testkit/logs.ts';
import { useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { siteClient, startHttpSite } from '@steward/testkit/sites/fake-sites.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { createPluginProbation } from '../../src/features/wordpress-plugin/index.ts';
import { claimSitesOnProbation } from '../../src/features/wordpress-plugin/plugin-links.repository.ts';
import { readPluginVersion } from '../../src/features/wordpress-plugin/plugin-zip.ts';

/** What the panel does after a site has downloaded a new version of the Steward plugin. */
const panel = useTestPanel({ baseUrl: 'https://panel.example.com' });
const version = readPluginVersion();
const SIGNAL = new AbortController().signal;

type Stub = Awaited<ReturnType<typeof startHttpSite>>;
let site: Stub;
let pages: { home: number; endpoint: number };
let verdicts: { body: unknown; headers: IncomingMessage['headers'] }[];
let isRestored: boolean;
let isSilent: boolean;

beforeEach(async () => {
  pages = { home: 200, endpoint: 401 };
  [verdicts, isRestored, isSilent] = [[], true, false];
  site = await startHttpSite(respond);
});

async function respond(request: IncomingMessage, response: ServerResponse) {
  const text = (await request.toArray()).join('');
  if (!request.url?.includes('remote/verdict')) {
    const status = request.url?.includes('/service/v1/') ? pages.endpoint : pages.home;
    return response.writeHead(status, { 'content-type': 'text/html' }).end('<html></html>');
  }
  verdicts.push({ body: JSON.parse(text), headers: request.headers });
  if (isSilent) return;
  const body = isRestored
    ? { success: true, restored: true }
    : { success: false, error: 'No verdict is expected.', code: 'not_found' };
  response.writeHead(isRestored ? 200 : 404, { 'content-type': 'application/json' });
  return response.end(JSON.stringify(body));
}

/** Connects the site and downloads the plugin for it. */
async function download({
  capabilities = ['site_key', 'signed_calls', 'update_guard'],
  isProven = true,
} = {}) {
  const { license_key } = await panel.license();
  const activated = await panel.post('/api/v1/license/activate', {
    ...{ license_key, site_url: site.url, ...VERSIONS, capabilities },
  });
  const { site_key, activation_token, activation } = activated.body;
  const request = { license_key: site_key, site_url: site.url, activation_token, version };
  await useLink(request);
  const siteId = activation.site_id as number;
  if (isProven) {
    await panel.db
      .updateTable('license_activations')
      .set({
        proven_at: panel.fakes.now,
        proven_endpoint_url: `${site.url}/cms-json/service/v1/`,
      })
      .where('site_id', '=', siteId)
      .execute();
  }
  return { siteId, request, license_key };
}

async function useLink(request: object) {
  const { body } = await panel.post('/api/v1/plugin/link', request);
  registerSecret(body.package.link);
  const url = `/api/v1/plugin/package/steward-${version}.zip?link=${body.package.link}`;
  expect((await panel.app.inject({ url })).statusCode).toBe(200);
}

const advance = (seconds: number) => {
  panel.fakes.now = new Date(panel.fakes.now.getTime() + seconds * 1000);
};

async function checkDue(checkSeconds = 60) {
  const { db, services, secrets } = panel;
  const deps = {
    ...{ db, secrets, repeatedEvents: services.repeatedEvents, log: testLogger() },
    clock: { now: () => panel.fakes.now },
    siteClient: siteClient({ signer: services.signingKeys }),
  };
  await createPluginProbation(deps, { recheckSeconds: 0, checkSeconds }).checkDue(SIGNAL);
}

const readRecords = (siteId: number) =>
  panel.db
    .selectFrom('audit_log')
    .select(['action', 'context'])
    .where('site_id', '=', siteId)
    .where('action', '=', 'roll_back_plugin')
    .execute();

describe('a site that fails after the download', () => {
  for (const [page, status] of [
    ['home', 500],
    ['endpoint', 500],
  ] as const) {
    it(`gets a signed verdict without a key, with an audit record: ${page}`, async () => {
      const { siteId } = await download();
      pages[page] = status;
      advance(31);
      await checkDue();
      expect(verdicts).toMatchObject([{ body: { plugin_version: version, verdict: 'broken' } }]);
      expect(verdicts[0]?.headers).toHaveProperty(SIGNATURE_HEADER.toLowerCase());
      expect(verdicts[0]?.headers).not.toHaveProperty(SERVICE_KEY_HEADER.toLowerCase());
      expect(await readRecords(siteId)).toMatchObject([
        { context: { plugin_version: version, restored: true } },
      ]);
    });
  }

  it('is recorded as not rolled back if its guard refuses', async () => {
    const { siteId } = await download();
    [pages.home, isRestored] = [500, false];
    advance(31);
    await checkDue();
    expect(await readRecords(siteId)).toMatchObject([{ context: { restored: false } }]);
  });
});

describe('a site that gets no verdict', () => {
  const expectNoVerdict = async () => {
    await checkDue();
    expect(verdicts).toEqual([]);
  };

  it('works', async () => {
    await download();
    advance(31);
    await expectNoVerdict();
  });

  it('is in maintenance, behind a failing proxy, or refuses the panel', async () => {
    await download();
    for (const status of [503, 502, 403]) {
      pages = { home: status, endpoint: status };
      advance(121);
      await expectNoVerdict();
    }
  });

  it('has not had the time to install the version', async () => {
    await download();
    pages.home = 500;
    advance(29);
    await expectNoVerdict();
  });

  it('has an update guard that accepts no verdict', async () => {
    await download({ capabilities: ['site_key', 'signed_calls'] });
    pages.home = 500;
    advance(31);
    await expectNoVerdict();
  });

  it('has no proven endpoint', async () => {
    await download({ isProven: false });
    pages.home = 500;
    advance(31);
    await expectNoVerdict();
  });

  it('was checked in the last two minutes, or downloaded the version long ago', async () => {
    const { request } = await download();
    advance(31);
    await expectNoVerdict();
    pages.home = 500;
    advance(119);
    await expectNoVerdict();
    advance(600);
    // Another link deletes old ones.
    await panel.post('/api/v1/plugin/link', request);
    await expectNoVerdict();
  });

  it('was connected again without a site key, which it cannot prove', async () => {
    const { siteId, request, license_key } = await download();
    await panel.post('/api/v1/license/deactivate', request);
    const { body } = await panel.post('/api/v1/license/activate', {
      ...{ license_key, site_url: site.url, ...VERSIONS, capabilities: ['update_guard'] },
    });
    expect(body.activation.site_id).toBe(siteId);
    pages.home = 500;
    advance(31);
    await expectNoVerdict();
  });

  it('was disconnected', async () => {
    const { request } = await download();
    await panel.post('/api/v1/license/deactivate', request);
    pages.home = 500;
    advance(31);
    await expectNoVerdict();
  });
});

describe('the check of a site', () => {
  it('ends in time, although the site does not respond to its verdict', async () => {
    const { siteId } = await download();
    [pages.home, isSilent] = [500, true];
    advance(31);
    await checkDue(1);
    expect(verdicts).toHaveLength(1);
    expect(await readRecords(siteId)).toMatchObject([{ context: { restored: false } }]);
  });

  it('comes after that of a site that has waited longer', async () => {
    const claim = (limit: number) =>
      claimSitesOnProbation(panel.db, panel.fakes.now, { limit, pauseSeconds: 120 });
    advance(800);
    const first = await download();
    advance(10);
    site = await startHttpSite(respond);
    const second = await download();
    advance(31);
    expect(await claim(1)).toMatchObject([{ site_id: first.siteId }]);
    advance(130);
    expect(await claim(1)).toMatchObject([{ site_id: second.siteId }]);
    // Another download does not move a site to the front.
    await useLink(second.request);
    advance(31);
    expect(await claim(1)).toMatchObject([{ site_id: first.siteId }]);
  });
});
