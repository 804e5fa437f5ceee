import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { type FixtureSite, useRunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { SHOP } from '@steward/testkit/sites/site-fleet.ts';
import { describe, expect, it } from 'vitest';

const fixture = useRunFixture();
type User = Pick<Person, 'get' | 'post'>;

/** Creates a run that failed on two sites and succeeded on a third. */
async function createFailedRun(user: User = fixture.owner, grantTo?: Person) {
  const [a, b, good] = [await newFailingSite(), await newFailingSite(), await fixture.newSite()];
  if (grantTo) {
    for (const { id } of [a, b, good]) {
      await fixture.owner.call('PUT', `/panel/users/${grantTo.id}/access/sites/${id}`);
    }
  }
  const { body } = await user.post('/remote/update', { site_ids: [a.id, b.id, good.id] });
  expect(body.counts).toEqual({ failed: 2, succeeded: 1 });
  return { a, b, good, runId: body.run_id as number };
}

async function newFailingSite(): Promise<FixtureSite> {
  const site = await fixture.newSite();
  site.state.plugins[SHOP] = { version: '1.0', newVersion: '2.0', updateFails: 'No space left.' };
  return site;
}

const retry = (runId: number, site_ids?: number[], user: User = fixture.owner) =>
  user.post(`/panel/runs/${runId}/retry`, site_ids && { site_ids });
const sitesOf = ({ results }: { results: { site_id: number }[] }) =>
  results.map(({ site_id }) => site_id);

/** Whether the run is retried, and the retry of each site. */
async function readRetries(runId: number, user: User = fixture.owner) {
  const { body } = await user.get(`/panel/runs/${runId}`);
  return {
    run: [body.is_retried, body.retried_by],
    sites: body.results.map((each: { is_retried: boolean; retried_by: number | null }) => [
      each.is_retried,
      each.retried_by,
    ]),
  };
}

describe('POST /panel/runs/:id/retry with site_ids', () => {
  it('retries only these sites; the others can be retried later', async () => {
    const { a, b, runId } = await createFailedRun();
    const first = await retry(runId, [b.id]);
    expect([first.status, first.body.retry_of, sitesOf(first.body)]).toEqual([200, runId, [b.id]]);
    const ofFirst = [true, first.body.run_id];
    const none = [false, null];
    expect(await readRetries(runId)).toEqual({
      run: [false, first.body.run_id],
      sites: [none, ofFirst, none],
    });

    const second = await retry(runId);
    expect([second.body.retry_of, sitesOf(second.body)]).toEqual([runId, [a.id]]);
    const ofSecond = [true, second.body.run_id];
    expect(await readRetries(runId)).toEqual({ run: ofSecond, sites: [ofSecond, ofFirst, none] });
  });

  it('returns the same run for a second call', async () => {
    const { a, b, runId } = await createFailedRun();
    const responses = await Promise.all([1, 2, 3].map(() => retry(runId, [a.id])));
    expect(new Set(responses.map(({ body }) => body.run_id)).size).toBe(1);
    const both = await retry(runId, [a.id, b.id]);
    expect(sitesOf(both.body)).toEqual([b.id]);
    const again = await retry(runId, [a.id, b.id]);
    expect(again.body.run_id).toBe(both.body.run_id);
  });

  it('responds 409 nothing_to_retry for sites that succeeded or are not in the run', async () => {
    const { good, runId } = await createFailedRun();
    const other = await newFailingSite();
    const { status, body } = await retry(runId, [good.id, other.id, 999_999_999]);
    expect([status, body.code]).toEqual([409, 'nothing_to_retry']);
    expect(await readRetries(runId)).toMatchObject({ run: [false, null] });
  });

  it('responds 400 to an empty list', async () => {
    const { runId } = await createFailedRun();
    expect((await retry(runId, [])).status).toBe(400);
  });

  it('records the retried sites in the audit log', async () => {
    const { a, runId } = await createFailedRun();
    const { body } = await retry(runId, [a.id]);
    const record = await fixture.panel.db
      .selectFrom('audit_log')
      .select('context')
      .where('entity_type', '=', 'run')
      .where('entity_id', '=', String(body.run_id))
      .executeTakeFirstOrThrow();
    expect(record.context).toMatchObject({ retry_of: runId, sites: 1 });
  });

  it('names the items in the audit log', async () => {
    const { good } = await createFailedRun();
    const items = [{ type: 'plugin', slug: SHOP, version: '1.0' }];
    const restore = await fixture.owner.post('/panel/sites/restore', {
      site_ids: [good.id],
      items,
    });
    expect(restore.status).toBe(200);
    const record = await fixture.panel.db
      .selectFrom('audit_log')
      .select('context')
      .where('entity_type', '=', 'run')
      .where('entity_id', '=', String(restore.body.run_id))
      .executeTakeFirstOrThrow();
    expect(record.context).toMatchObject({ items: [{ slug: SHOP, name: expect.any(String) }] });
  });

  it('hides the run of an owner from another user, who can retry the remaining sites', async () => {
    const manager = await newSignedInUser(fixture.panel, 'manager');
    const { a, b, runId } = await createFailedRun(manager, manager);
    await retry(runId, [a.id]);
    expect(await readRetries(runId, manager)).toMatchObject({
      run: [false, null],
      sites: [
        [true, null],
        [false, null],
        [false, null],
      ],
    });
    const late = await retry(runId, [a.id], manager);
    expect([late.status, late.body.code]).toEqual([409, 'run_already_retried']);
    const remaining = await retry(runId, undefined, manager);
    expect(sitesOf(remaining.body)).toEqual([b.id]);
    expect((await retry(runId, undefined, manager)).body.run_id).toBe(remaining.body.run_id);
  });
});

describe('the retry of a run of single items', () => {
  it('names and installs only the items that failed on its sites', async () => {
    const FORM = 'form/form.php';
    const [formFails, shopFails] = [await newSiteWithTwo(FORM), await newSiteWithTwo(SHOP)];
    const items = [SHOP, FORM].map((slug) => ({ type: 'plugin', slug, version: '2.0' }));
    const sites = [formFails, shopFails];
    const run = await fixture.owner.post('/remote/update', {
      site_ids: sites.map(({ id }) => id),
      items,
    });
    expect(run.body.counts).toEqual({ partial: 2 });
    const one = await retry(run.body.run_id, [formFails.id]);
    expect(one.body).toMatchObject({
      request: { items: [items[1]], items_total: 1 },
      counts: { failed: 1 },
      results: [{ items: [items[1]] }],
    });
    const again = await retry(one.body.run_id);
    expect(again.body.request).toEqual({ items: [items[1]], items_total: 1 });
    const other = await retry(run.body.run_id);
    expect(other.body.request).toEqual({ items: [items[0]], items_total: 1 });
  });

  /** Creates a site with two pending updates, one of which fails. */
  function newSiteWithTwo(failing: string) {
    const plugins = [SHOP, 'form/form.php'].map((slug) => {
      const pending = { version: '1.0', newVersion: '2.0', active: true };
      return [slug, { ...pending, ...(slug === failing && { updateFails: 'No space left.' }) }];
    });
    return fixture.newSite({
      ...{ plugins: Object.fromEntries(plugins), themes: {}, core: { version: '6.0' } },
    });
  }
});
