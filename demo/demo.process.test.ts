import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { CSRF_HEADER } from '@steward/contract';
import { findConsecutivePorts, runDemo, startDemo } from '@steward/testkit/demo/demo-process.ts';
import { createPluginPackage } from '@steward/testkit/package-zip.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it } from 'vitest';

type Site = {
  id: number;
  name: string;
  status: string;
  pending: { plugins: number; themes: number; core: number };
  tags: string[];
  counted: boolean;
};
type Result = { site_id: number; status: string; code: string | null; error: string | null };
type Owner = Awaited<ReturnType<Awaited<ReturnType<typeof startDemo>>['signIn']>>;

/** Lists the sites by name, without the port. */
async function listSites(owner: Owner): Promise<Record<string, Site>> {
  const { sites } = (await owner.get('/panel/sites?limit=50')).body as { sites: Site[] };
  return Object.fromEntries(sites.map((site) => [site.name.replace(/:\d+$/, ''), site]));
}

async function uploadPackage(panelUrl: string, { cookie, csrfToken }: Owner, zip: Buffer) {
  const response = await fetch(`${panelUrl}/panel/packages`, {
    method: 'POST',
    headers: { 'content-type': 'application/zip', [CSRF_HEADER]: csrfToken, cookie },
    body: new Uint8Array(zip),
  });
  const { package: stored } = (await response.json()) as { package: { id: number } };
  return stored.id;
}

const countUpdates = (sites: Record<string, Site>) =>
  Object.fromEntries(
    Object.entries(sites).map(([name, { pending }]) => [
      name,
      [pending.plugins, pending.themes, pending.core],
    ]),
  );

const NO_UPDATES = [0, 0, 0];
const UPDATES_BEFORE_RUN = {
  'miller-bakery.demo': [3, 1, 0],
  'harbour-dental.demo': [1, 0, 1],
  'hopfield-brewery.demo': [2, 0, 0],
  'rose-and-thyme.demo': [1, 0, 0],
  'tide-museum.demo': [1, 1, 0],
  'lindqvist-law.demo': NO_UPDATES,
  'northside-garage.demo': NO_UPDATES,
  'stillwater-yoga.demo': [2, 0, 1],
  'corner-cafe.demo': [1, 0, 0],
  'staging.miller-bakery.demo': [1, 0, 1],
  'dev.harbour-dental.demo': NO_UPDATES,
  'shop.localhost': [1, 0, 0],
};
const UPDATES_AFTER_RUN = {
  ...Object.fromEntries(Object.keys(UPDATES_BEFORE_RUN).map((name) => [name, NO_UPDATES])),
  'hopfield-brewery.demo': [1, 0, 0],
  'rose-and-thyme.demo': [1, 0, 0],
  'corner-cafe.demo': [1, 0, 0],
};

describe('npm run demo', () => {
  it('starts from scratch after an interrupted first start, shows sites in different states, updates them, and restarts after a stop and after a kill', {
    timeout: 300_000,
  }, async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'demo.json'), JSON.stringify({ port: 1, isReady: false }));
    mkdirSync(join(folder, 'sites/half-made.demo'), { recursive: true });
    const location = ['--folder', folder];
    const demo = await startDemo([...location, '--port', String(await findConsecutivePorts())]);
    expect(demo.readOutput()).toContain('interrupted');
    expect(existsSync(join(folder, 'sites/half-made.demo'))).toBe(false);
    const owner = await demo.signIn();

    const sites = await listSites(owner);
    expect(countUpdates(sites)).toEqual(UPDATES_BEFORE_RUN);
    const uncounted = Object.values(sites).filter(({ counted }) => !counted);
    expect(uncounted.map(({ tags }) => tags)).toEqual([['staging'], ['staging'], ['staging']]);
    const countStatus = (expected: string) =>
      Object.values(sites).filter(({ status }) => status === expected).length;
    expect([countStatus('updates'), countStatus('up_to_date')]).toEqual([8, 3]);
    expect(sites['corner-cafe.demo']?.status).toBe('license_invalid');
    expect(sites['miller-bakery.demo']?.tags).toEqual(['priority', 'retail']);
    const { licenses } = (await owner.get('/panel/licenses')).body;
    expect(licenses).toEqual([
      expect.objectContaining({ status: 'suspended', sites_used: 1 }),
      expect.objectContaining({ status: 'active', expires_at: expect.any(String) }),
      expect.objectContaining({ status: 'active', sites_used: 5, sites_remaining: 1 }),
    ]);

    const site_ids = Object.values(sites).map(({ id }) => id);
    const { body } = await owner.post(
      '/remote/update',
      { site_ids },
      { headers: { prefer: 'wait=300' } },
    );
    const findResult = (name: string) =>
      body.results.find((result: Result) => result.site_id === sites[name]?.id);
    expect(findResult('hopfield-brewery.demo')).toMatchObject({
      status: 'partial',
      plugins: { updated: 1, failed: 1 },
      details: {
        errors: [{ slug: 'bookings/bookings.php', error: expect.stringContaining('damaged') }],
      },
    });
    expect(findResult('rose-and-thyme.demo')).toMatchObject({
      status: 'failed',
      code: 'site_unreachable',
    });
    expect(findResult('corner-cafe.demo')).toMatchObject({
      status: 'refused',
      code: 'site_not_active',
    });
    const succeeded = body.results.filter(({ status }: Result) => status === 'succeeded');
    expect(succeeded).toHaveLength(9);
    const bookings = join(folder, 'sites/hopfield-brewery.demo/plugins/bookings/bookings.php');
    expect(readFileSync(bookings, 'utf8')).toContain('Version: 3.9.8');
    const updated = await listSites(owner);
    expect(countUpdates(updated)).toEqual(UPDATES_AFTER_RUN);
    expect(updated['hopfield-brewery.demo']?.status).toBe('failing');
    expect(updated['rose-and-thyme.demo']?.status).toBe('not_reachable');

    const zip = await createPluginPackage('opening-hours', '1.0');
    const id = await uploadPackage(demo.url, owner, zip);
    const installed = await owner.post('/panel/sites/install', {
      site_ids: [sites['northside-garage.demo']?.id],
      packages: [id],
    });
    expect(installed.body.results).toMatchObject([{ status: 'succeeded' }]);

    expect(await runDemo('main.ts', location)).toMatchObject({
      code: 1,
      output: expect.stringContaining('The demo is already running'),
    });
    expect(await runDemo('reset.ts', location)).toMatchObject({ code: 1 });
    expect(await demo.end('SIGINT')).toBe(0);
    expect(await runDemo('main.ts', [...location, '--port', '5000'])).toMatchObject({
      code: 1,
      output: expect.stringContaining('Omit --port'),
    });

    const restarted = await startDemo(location);
    expect([restarted.url, restarted.password]).toEqual([demo.url, demo.password]);
    expect(countUpdates(await listSites(await restarted.signIn()))).toEqual(UPDATES_AFTER_RUN);

    await restarted.end('SIGKILL');
    const afterKill = await startDemo(location);
    expect(Object.keys(await listSites(await afterKill.signIn()))).toHaveLength(12);
    expect(await afterKill.end('SIGTERM')).toBe(0);

    expect(await runDemo('reset.ts', location)).toMatchObject({ code: 0 });
    expect(existsSync(folder)).toBe(false);
  });

  it('with more sites has clients, an outage last night, errors after an update and the halted rollout', {
    timeout: 300_000,
  }, async () => {
    const folder = join(temporaryFolder(), 'demo');
    const location = ['--folder', folder, '--sites', '17'];
    const demo = await startDemo([...location, '--port', String(await findConsecutivePorts())]);
    const owner = await demo.signIn();
    const sites = await listSites(owner);
    expect(Object.keys(sites)).toHaveLength(17);
    const { clients } = (await owner.get('/panel/clients')).body;
    expect(clients).toHaveLength(5);

    const { rollout } = (await owner.get('/panel/rollouts/1')).body;
    expect(rollout).toMatchObject({
      status: 'halted',
      halt_reason: expect.stringContaining('Subscriber::confirm()'),
    });
    const [hotelId] = Object.values(sites).flatMap(({ id, name }) =>
      name.startsWith('Kingfisher Hotel 1 ') ? [id] : [],
    );
    const hotel = (await owner.get(`/panel/sites/${hotelId}`)).body.site;
    expect(hotel.client.name).toBe('Kingfisher Hotels');
    expect(hotel.item_errors).toMatchObject([{ slug: 'newsletter/newsletter.php', is_new: true }]);
    const { reachability } = (await owner.get(`/panel/sites/${hotelId}/reachability`)).body;
    expect(reachability.outages).toHaveLength(1);
    expect(reachability.days).toHaveLength(30);

    expect(await demo.end('SIGINT')).toBe(0);
    expect(await runDemo('main.ts', ['--folder', folder, '--sites', '30'])).toEqual({
      code: 1,
      output: `demo: This demo has 17 sites. Omit --sites, or delete the demo with npm run demo:reset -- --folder ${folder}.\n`,
    });
  });

  describe('fails before it starts anything', () => {
    it('when a port is in use', async () => {
      const folder = join(temporaryFolder(), 'demo');
      const port = await findConsecutivePorts();
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(port + 3, '127.0.0.1', resolve));
      const { code, output } = await runDemo('main.ts', [
        '--folder',
        folder,
        '--port',
        String(port),
      ]);
      await new Promise((resolve) => other.close(resolve));
      expect([code, output]).toEqual([
        1,
        `demo: Port ${port + 3} is in use by another program. Stop that program, or use other ports: npm run demo -- --port ${port + 112} --folder ${folder}\n`,
      ]);
    });

    it('when an option is unknown', async () => {
      const { code, output } = await runDemo('main.ts', ['--nonsense']);
      expect([code, output]).toEqual([1, expect.stringMatching(/^demo: [^\n]+\.\n$/)]);
    });

    it('when the folder contains other files, and keeps them', async () => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'letters.txt'), 'dear');
      for (const script of ['main.ts', 'reset.ts'] as const) {
        const { code, output } = await runDemo(script, ['--folder', folder]);
        expect([code, output]).toEqual([1, expect.stringContaining('not a demo folder')]);
      }
      expect(readFileSync(join(folder, 'letters.txt'), 'utf8')).toBe('dear');
    });

    it('when software for --wordpress is missing', async () => {
      const folder = join(temporaryFolder(), 'demo');
      const { code, output } = await runDemo('main.ts', ['--folder', folder, '--wordpress'], {
        PATH: temporaryFolder(),
      });
      expect(code).toBe(1);
      expect(output).toMatch(/^demo: The WordPress sites need software that is not installed: PHP/);
      expect(existsSync(folder)).toBe(false);
    });
  });
});
