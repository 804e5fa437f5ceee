import type { SiteReachability } from '@steward/contract';
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import {
  NEVER_CHECKED,
  NO_TAGS,
  overviewOfOne,
  reachabilityDays,
  siteDetails,
  siteItem,
  sites,
} from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';
import { findBanner, responsesFor } from '../../../test/site-screen.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000 + 60_000).toISOString();

describe('the reachability of a site', () => {
  async function show(reachability: Partial<SiteReachability>) {
    renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'GET /panel/sites/:id/reachability': {
          success: true,
          reachability: { ...NEVER_CHECKED.reachability, ...reachability },
        },
      },
    });
    return within(await screen.findByRole('region', { name: 'Reachability' }));
  }

  it('shows the strip of 30 days, the state and the certificate', async () => {
    const region = await show({
      state: 'up',
      since: inDays(-3),
      checked_at: inDays(0),
      certificate_expires_at: inDays(9),
      days: reachabilityDays(300, 0),
    });
    await region.findByText(/^Up since/);
    region.getByText(/Certificate expires/);
    region.getByText('Down for 5 min in the last 30 days.');
    region.getByText('May 31: down for 5 min');
    region.getByText('Jun 1: no outage');
    const table = region.getByRole('table', { name: 'Outages per day' });
    expect(within(table).getAllByRole('row')).toHaveLength(2);
    await expectAccessible('reachability');
  });

  it('shows the response times, for screen readers as a table', async () => {
    const days = reachabilityDays(0).map((day, index) =>
      index < 28 ? day : { ...day, response_median_ms: 240 + index, response_max_ms: 9000 },
    );
    const region = await show({ state: 'up', since: inDays(-3), checked_at: inDays(0), days });
    await region.findByText(/^Jun 1: median 269 ms, maximum 9 s\. Bars end at 1\.3 s\.$/);
    region.getByText('May 30: not measured');
    const table = region.getByRole('table', { name: 'Response time per day' });
    expect(within(table).getAllByRole('row')).toHaveLength(3);
  });

  it('names the reason of an outage', async () => {
    const reason = 'The site is down: it responds with an error. Check its error log.';
    const region = await show({
      state: 'down',
      since: inDays(-1),
      reason,
      signal: 'application',
      checked_at: inDays(0),
      days: reachabilityDays(86_400, 86_400),
    });
    await region.findByText(/^Not reachable since/);
    region.getByText(`${reason} The home page may still load from a cache.`);
    region.getByText('Down for 48 h in the last 30 days.');
  });

  it('shows an outage on a day without checks as down', async () => {
    const days = reachabilityDays(600).map((day) => ({ ...day, checks: 0, failed: 0 }));
    const region = await show({ state: 'down', since: inDays(-1), checked_at: inDays(-1), days });
    await region.findByText('Jun 1: down for 10 min');
    region.getByText('May 31: not checked');
    region.getByText('Down for 10 min in the last 30 days.');
  });

  it.each([
    ['with checks', reachabilityDays(0), 'No outage found in the last 30 days.'],
    ['without checks', reachabilityDays(), 'Not checked in the last 30 days.'],
  ])('sums up 30 days %s and without an outage', async (_, days, sentence) => {
    const region = await show({ state: 'up', since: inDays(-90), checked_at: inDays(-40), days });
    await region.findByText(sentence);
  });

  it('explains a site without checks', async () => {
    const region = await show({});
    await region.findByText('Not checked yet');
    region.getByText(/first check follows within minutes/);
  });

  it('says that the first check failed, and shows no green day', async () => {
    const days = reachabilityDays(0).map((day, index) => ({
      ...day,
      ...(index === 29 ? { checks: 1, failed: 1 } : { checks: 0, failed: 0 }),
    }));
    const region = await show({ checked_at: new Date().toISOString(), days });
    await region.findByText(/^First check failed\. Steward checks again/);
    region.getByText('Jun 1: all checks failed, no confirmed outage');
    region.getByText('No check succeeded in the last 30 days.');
  });

  it('shows that a site is down, and not only that a call failed', async () => {
    const fault = { code: 'site_down', error: 'The site is down.', at: inDays(-1), run_id: null };
    renderScreen('/sites/1', {
      responses: responsesFor(siteDetails({ status: 'not_reachable', fault })),
    });
    const banner = await findBanner();
    banner.getByText(/Two checks in a row failed\./);
  });
});

describe('the list of sites', () => {
  it('shows the days and the certificate of each site, with words for screen readers', async () => {
    const days = `${'n'.repeat(10)}${'u'.repeat(18)}du`;
    renderScreen('/sites', {
      responses: {
        'GET /panel/sites': sites([
          siteItem({ reachability_days: days, certificate_expires_at: inDays(62) }),
          siteItem({ id: 2, name: 'old.example.com', certificate_expires_at: inDays(-2) }),
          siteItem({ id: 3, name: 'soon.example.com', certificate_expires_at: inDays(9) }),
        ]),
        'GET /panel/tags': NO_TAGS,
      },
    });
    const row = async (name: RegExp) => within(await screen.findByRole('row', { name }));
    (await row(/shop\.example/)).getByRole('img', { name: 'Down on 1 of 20 days with checks' });
    (await row(/in 2 mo/)).getByRole('img');
    (await row(/expired 1 d ago/)).getByRole('img', { name: 'Not checked in the last 30 days' });
    expect((await row(/soon\.example/)).getByText('in 9 d')).toBeTruthy();
    await expectAccessible('uptime in the list');
  });
});

describe('the overview', () => {
  it('names the sites whose certificate expires soon', async () => {
    const expiring_certificates = {
      count: 4,
      sites: [{ site_id: 7, name: 'shop.example.com', expires_at: inDays(3) }],
    };
    renderScreen('/', {
      responses: { 'GET /panel/overview': overviewOfOne({ expiring_certificates }) },
    });
    await screen.findByText(/4 certificates have expired or expire within 14 days/);
    screen.getByRole('link', { name: 'shop.example.com' });
  });
});
