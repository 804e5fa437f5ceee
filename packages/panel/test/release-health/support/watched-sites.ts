import type { ItemErrorGroup, RunDetailsResponse } from '@steward/contract';
import type { FixtureSite, RunFixture } from '@steward/testkit/panel/use-run-fixture.ts';
import { outdatedSite } from '@steward/testkit/sites/site-fleet.ts';
import type { Static } from 'typebox';
import { expect } from 'vitest';
import { errorsAt } from './reported-errors.ts';

type Result = Static<typeof RunDetailsResponse>['results'][number];

export function watchHelpers(fixture: RunFixture) {
  const advance = (minutes: number) => {
    fixture.panel.fakes.now = new Date(fixture.panel.fakes.now.getTime() + minutes * 60_000);
  };

  /** Sends a report of errors with the site key, as the site does. */
  async function report(
    site: FixtureSite,
    groups: Partial<ItemErrorGroup>[],
    more: object = {},
  ): Promise<void> {
    const { service_license_key: license_key } = await site.options.read();
    const item_errors = { ...errorsAt(fixture.panel.fakes.now, ...groups), ...more };
    const body = { license_key, site_url: site.siteUrl, item_errors };
    const { status } = await fixture.panel.post('/api/v1/site/verify', body);
    expect(status).toBe(200);
  }

  /** Updates the site, and returns a function that reads the result of its task. */
  async function update(site: FixtureSite) {
    const runId = await fixture.startUpdate([site.id]);
    await fixture.waitForRun(runId);
    const readResult = async (user = fixture.owner): Promise<Result> =>
      (await user.get(`/panel/runs/${runId}`)).body.results[0];
    const expectState = (state: string) =>
      expect.poll(async () => (await readResult()).watch?.state).toBe(state);
    advance(5);
    return { runId, readResult, expectState };
  }

  async function newUpdatedSite(state = outdatedSite()) {
    const site = await fixture.newSite(state);
    return { site, ...(await update(site)) };
  }

  return { advance, report, update, newUpdatedSite };
}
