import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { findFreePorts, runDemo, startDemo } from '@steward/testkit/demo/demo-process.ts';
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

/** By name, without the port. */
async function sitesOf(owner: Owner): Promise<Record<string, Site>> {
  const { sites } = (await owner.get('/panel/sites?limit=50')).body as { sites: Site[] };
  return Object.fromEntries(sites.map((site) => [site.name.replace(/:\d+$/, ''), site]));
}

const updatesOf = (sites: Record<string, Site>) =>
  Object.fromEntries(
    Object.entries(sites).map(([name, { pending }]) => [
      name,
      [pending.plugins, pending.themes, pending.core],
    ]),
  );

const NOTHING = [0, 0, 0];
const UPDATES_AT_FIRST = {
  'miller-bakery.demo': [3, 1, 0],
  'harbour-dental.demo': [1, 0, 1],
  'hopfield-brewery.demo': [2, 0, 0],
  'rose-and-thyme.demo': [1, 0, 0],
  'tide-museum.demo': [1, 1, 0],
  'lindqvist-law.demo': NOTHING,
  'northside-garage.demo': NOTHING,
  'stillwater-yoga.demo': [2, 0, 1],
  'corner-cafe.demo': [1, 0, 0],
  'staging.miller-bakery.demo': [1, 0, 1],
  'dev.harbour-dental.demo': NOTHING,
  'shop.localhost': [1, 0, 0],
};
const UPDATES_AFTER_A_RUN = {
  ...Object.fromEntries(Object.keys(UPDATES_AT_FIRST).map((name) => [name, NOTHING])),
  'hopfield-brewery.demo': [1, 0, 0],
  'rose-and-thyme.demo': [1, 0, 0],
  'corner-cafe.demo': [1, 0, 0],
};

describe('npm run demo', () => {
  it('shows a fleet in all its states, updates it, and is there again after a stop and a kill', {
    timeout: 300_000,
  }, async () => {
    const folder = join(temporaryFolder(), 'demo');
    const place = ['--folder', folder];
    const demo = await startDemo([...place, '--port', String(await findFreePorts())]);
    const owner = await demo.signIn();

    const sites = await sitesOf(owner);
    expect(updatesOf(sites)).toEqual(UPDATES_AT_FIRST);
    const uncounted = Object.values(sites).filter(({ counted }) => !counted);
    expect(uncounted.map(({ tags }) => tags)).toEqual([['staging'], ['staging'], ['staging']]);
    const countOf = (wanted: string) =>
      Object.values(sites).filter(({ status }) => status === wanted).length;
    expect([countOf('updates'), countOf('up_to_date')]).toEqual([8, 3]);
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
    const resultOf = (name: string) =>
      body.results.find((result: Result) => result.site_id === sites[name]?.id);
    expect(resultOf('hopfield-brewery.demo')).toMatchObject({
      status: 'partial',
      plugins: { updated: 1, failed: 1 },
      details: {
        errors: [{ slug: 'bookings/bookings.php', error: expect.stringContaining('damaged') }],
      },
    });
    expect(resultOf('rose-and-thyme.demo')).toMatchObject({
      status: 'failed',
      code: 'site_unreachable',
    });
    expect(resultOf('corner-cafe.demo')).toMatchObject({
      status: 'refused',
      code: 'site_not_active',
    });
    const others = body.results.filter(({ status }: Result) => status === 'succeeded');
    expect(others).toHaveLength(9);
    const bookings = join(folder, 'sites/hopfield-brewery.demo/plugins/bookings/bookings.php');
    expect(readFileSync(bookings, 'utf8')).toContain('Version: 3.9.8');
    const updated = await sitesOf(owner);
    expect(updatesOf(updated)).toEqual(UPDATES_AFTER_A_RUN);
    expect(updated['hopfield-brewery.demo']?.status).toBe('failing');
    expect(updated['rose-and-thyme.demo']?.status).toBe('not_reachable');

    expect(await runDemo('main.ts', place)).toMatchObject({
      code: 1,
      printed: expect.stringContaining('The demo is running already'),
    });
    expect(await runDemo('reset.ts', place)).toMatchObject({ code: 1 });
    expect(await demo.end('SIGINT')).toBe(0);

    const again = await startDemo(place);
    expect([again.url, again.password]).toEqual([demo.url, demo.password]);
    expect(updatesOf(await sitesOf(await again.signIn()))).toEqual(UPDATES_AFTER_A_RUN);

    await again.end('SIGKILL');
    const afterKill = await startDemo(place);
    expect(Object.keys(await sitesOf(await afterKill.signIn()))).toHaveLength(12);
    expect(await afterKill.end('SIGTERM')).toBe(0);

    expect(await runDemo('reset.ts', place)).toMatchObject({ code: 0 });
    expect(existsSync(folder)).toBe(false);
  });

  it('begins anew when its first start was broken off', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'demo.json'), JSON.stringify({ port: 1, isReady: false }));
    mkdirSync(join(folder, 'sites/half-made.demo'), { recursive: true });
    const place = ['--folder', folder];
    const demo = await startDemo([...place, '--port', String(await findFreePorts())]);
    expect(demo.printed()).toContain('broken off');
    expect(existsSync(join(folder, 'sites/half-made.demo'))).toBe(false);
    expect(Object.keys(await sitesOf(await demo.signIn()))).toHaveLength(12);
    expect(await demo.end('SIGTERM')).toBe(0);
    expect(await runDemo('main.ts', [...place, '--port', '5000'])).toMatchObject({
      code: 1,
      printed: expect.stringContaining('Leave out --port'),
    });
  });

  describe('says in one line, before it starts anything,', () => {
    it('that a port is taken', async () => {
      const folder = join(temporaryFolder(), 'demo');
      const port = await findFreePorts();
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(port + 3, '127.0.0.1', resolve));
      const { code, printed } = await runDemo('main.ts', [
        '--folder',
        folder,
        '--port',
        String(port),
      ]);
      await new Promise((resolve) => other.close(resolve));
      expect([code, printed]).toEqual([
        1,
        `demo: Port ${port + 3} is taken by another program. Stop it, or choose other ports: npm run demo -- --port ${port + 100} --folder ${folder}\n`,
      ]);
    });

    it('that it does not know an option', async () => {
      for (const args of [['--nonsense'], ['word'], ['--port'], ['--port', '80']]) {
        const { code, printed } = await runDemo('main.ts', args);
        expect([code, printed]).toEqual([1, expect.stringMatching(/^demo: [^\n]+\.\n$/)]);
      }
    });

    it('that a folder holds something else, which stays', async () => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'letters.txt'), 'dear');
      for (const script of ['main.ts', 'reset.ts'] as const) {
        const { code, printed } = await runDemo(script, ['--folder', folder]);
        expect([code, printed]).toEqual([1, expect.stringContaining('no demo')]);
      }
      expect(readFileSync(join(folder, 'letters.txt'), 'utf8')).toBe('dear');
    });

    it('what --wordpress needs, where it is missing', async () => {
      const folder = join(temporaryFolder(), 'demo');
      const { code, printed } = await runDemo('main.ts', ['--folder', folder, '--wordpress'], {
        PATH: temporaryFolder(),
      });
      expect(code).toBe(1);
      expect(printed).toMatch(/^demo: The WordPress sites need what is not here: PHP/);
      expect(existsSync(folder)).toBe(false);
    });
  });
});
