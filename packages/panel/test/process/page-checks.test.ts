import type { CheckedPages } from '@steward/contract';
import { useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const fixture = useRunFixture();

/** A site that adds how far it has checked its pages to each response. */
async function newCheckingSite(checked: object) {
  const site = await fixture.newSite();
  const { handle } = site.agent;
  Object.assign(site.agent, {
    async handle(request: Request) {
      const response = await handle(request);
      if (!/remote\/(update|plugin-action)$/.test(request.url)) return response;
      return Response.json(Object.assign((await response.json()) as object, { checked }));
    },
  });
  return site;
}

async function update(checked: object) {
  const site = await newCheckingSite(checked);
  const runId = await fixture.startUpdate([site.id]);
  const [result] = (await fixture.waitForRun(runId)).results;
  const [record] = await fixture.readAudit(site.id, 'remote_update');
  return { result, context: record?.context };
}

const ALL: CheckedPages = { pages_planned: 17, pages_compared: 17 };

describe('the checked pages of an update', () => {
  it('are in the result and in its audit record', async () => {
    const { result, context } = await update(ALL);
    expect(result).toMatchObject({
      ...{ status: 'succeeded', code: null, notes: ['17 pages compared.'] },
      watch: { pages_compared: 17, pages_planned: 17 },
    });
    expect(context).toMatchObject({ outcome: 'succeeded', notes: ['17 pages compared.'] });
  });

  it('make it unverified if the site could not check all of them', async () => {
    const reason = 'this host answers one request at a time';
    const { result, context } = await update({ ...ALL, pages_compared: 2, reason });
    const error =
      '2 of 17 pages could be checked, because this host answers one request at a time.';
    expect(result).toMatchObject({
      ...{ status: 'unverified', code: 'pages_not_checked', error },
      watch: { pages_compared: 2, pages_planned: 17 },
    });
    expect(context).toMatchObject({ outcome: 'unverified', code: 'pages_not_checked', error });
  });

  it('make it unverified if a page differs', async () => {
    const differences = [{ page: 'the home page', kind: 'text', percent: 34 }];
    const { result } = await update({ ...ALL, differences });
    expect(result).toMatchObject({
      status: 'unverified',
      code: 'pages_differ',
      details: { checked: { differences } },
    });
    expect(result.error).toContain('only 34 % the same');
  });

  it('are left out if they are malformed', async () => {
    const { result } = await update({ pages_planned: 'all' });
    expect(result).toMatchObject({ status: 'succeeded', notes: [] });
    expect(result.watch).not.toHaveProperty('pages_planned');
  });
});

describe('the checked pages of a plugin action', () => {
  const deactivate = async (checked: object) => {
    const { id: site_id } = await newCheckingSite(checked);
    const request = { site_id, action: 'deactivate', plugin: SHOP };
    return (await fixture.owner.post('/remote/plugin-action', request)).body;
  };

  it('are a number if all were compared, and a warning otherwise', async () => {
    const compared = await deactivate(ALL);
    expect(compared).toMatchObject({ success: true, pages_compared: 17, pages_planned: 17 });
    expect(compared).not.toHaveProperty('warnings');
    expect(await deactivate({ ...ALL, pages_compared: 2 })).toMatchObject({
      ...{ verified: false, warnings: ['2 of 17 pages could be checked.'] },
      ...{ pages_compared: 2, pages_planned: 17 },
    });
  });
});

describe('the check of a site that cannot open its own pages', () => {
  it('loads the pages that the site names, below its address only', async () => {
    const site = await fixture.newSite();
    const { handle } = site.agent;
    const pages = [
      { page: 'login', path: '/wp-login.php' },
      { page: 'post', path: '/../another-site/' },
    ];
    const reason = 'this host blocks requests of the site to itself';
    const refusal = { success: false, error: 'No.', code: 'outside_look_needed' };
    const plugin = { slug: SHOP, old_version: '1.0', new_version: '2.0', success: true };
    const results = { plugins: [{ ...plugin, verified: false }], themes: [], core: null };
    Object.assign(site.agent, {
      async handle(request: Request) {
        if (!request.url.endsWith('remote/update')) return handle(request);
        const body = (await request.json()) as { outside_look?: boolean };
        if (!body.outside_look)
          return Response.json({ ...refusal, pages, pages_planned: 17, reason }, { status: 409 });
        const awaiting_verdict = { call: 'the-call', ticket: 'the-ticket' };
        return Response.json({ success: true, results, errors: [], awaiting_verdict });
      },
    });
    const verdicts: object[] = [];
    site.routes.verdict = (body) => {
      verdicts.push(body);
      return { success: true, restored: false };
    };
    const loaded: string[] = [];
    site.health.home = ({ url }) => {
      const { pathname, searchParams } = new URL(url);
      loaded.push(`${pathname} ${searchParams.get('steward_check') === 'the-ticket'}`);
      return null;
    };
    const { results: tasks } = await fixture.waitForRun(await fixture.startUpdate([site.id]));
    expect(tasks[0]).toMatchObject({
      ...{ status: 'unverified', code: 'pages_not_checked' },
      error: `3 of 17 pages could be checked, because ${reason}.`,
      watch: { pages_compared: 3, pages_planned: 17 },
    });
    expect(verdicts).toEqual([{ call: 'the-call', verdict: 'healthy' }]);
    const logins = loaded.filter((page) => page.includes('login'));
    expect(logins).toEqual([false, true].map((ticket) => `/${site.name}/wp-login.php ${ticket}`));
    expect(loaded.join()).not.toContain('another-site');
  });
});
