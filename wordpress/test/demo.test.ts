import { join } from 'node:path';
import { findConsecutivePorts, startDemo } from '@steward/testkit/demo/demo-process.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { expect, it } from 'vitest';

it('npm run demo -- --wordpress adds two WordPress sites, one with a broken update', async () => {
  const location = [
    '--folder',
    join(temporaryFolder(), 'demo'),
    '--port',
    String(await findConsecutivePorts()),
  ];
  const demo = await startDemo([...location, '--wordpress'], 'recreated at each start');
  const owner = await demo.signIn();
  const { sites } = (await owner.get('/panel/sites?limit=50&search=.localhost')).body;
  const findId = (name: string) =>
    sites.find((site: { name: string }) => site.name.startsWith(name)).id as number;
  const site_ids = [findId('orchard-press'), findId('kestrel-cycles')];
  const { body } = await owner.post(
    '/remote/update',
    { site_ids },
    { headers: { prefer: 'wait=120' } },
  );
  expect(body.results).toMatchObject([
    { status: 'succeeded', plugins: { updated: 2, failed: 0 } },
    {
      status: 'partial',
      plugins: { updated: 1, failed: 1 },
      details: { errors: [{ error: expect.stringContaining('breaks the site') }] },
    },
  ]);
  expect(await demo.end('SIGINT')).toBe(0);
});
