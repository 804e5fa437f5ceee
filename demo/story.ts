import { setTimeout as sleep } from 'node:timers/promises';
import type { PanelClient } from '@steward/testkit/panel/panel-client.ts';
import { FIRST_ERROR_MS } from './errors.ts';
import { writeHistory } from './history.ts';
import { CLIENT_WITH_OUTAGE, UPDATED_CLIENT } from './later-sites.ts';
import { pluginFile } from './packages.ts';
import type { Fleet } from './sites.ts';
import { FAULTY_PLUGIN, PLUGINS, type PluginName } from './software.ts';

type FleetSite = Fleet['sites'][number];
export type GetSiteId = (site: FleetSite['site']) => number;
type Story = { session: PanelClient; folder: string; fleet: Fleet; getSiteId: GetSiteId };

const ROLLOUT_TIMEOUT_MS = 120_000;
const WAIT_FOR_RUN = { headers: { prefer: 'wait=60' } };
const TIME_ZONE = 'Europe/Berlin';

/** What has happened in a larger fleet before the user signs in for the first time. */
export async function tellStory(story: Story): Promise<void> {
  const idsByClient = await createClients(story);
  await writeHistory(story.folder, idsByClient.get(CLIENT_WITH_OUTAGE) ?? []);
  const site_ids = idsByClient.get(UPDATED_CLIENT) ?? [];
  await story.session.ask('POST', '/remote/update', { site_ids }, WAIT_FOR_RUN);
  await runHaltedRollout(story);
  await createRules(story.session);
  await createSchedules(story.session);
}

async function createClients({ session, fleet, getSiteId }: Story): Promise<Map<string, number[]>> {
  const idsByClient = new Map<string, number[]>();
  for (const [name, sites] of Map.groupBy(fleet.sites, ({ site }) => site.client)) {
    if (name === undefined) continue;
    const { client } = await session.ask<{ client: { id: number } }>('POST', '/panel/clients', {
      name,
      time_zone: TIME_ZONE,
    });
    const site_ids = sites.map(({ site }) => getSiteId(site));
    await session.ask('POST', '/panel/sites/client', { site_ids, client_id: client.id });
    for (const { site } of sites) {
      const body = { display_name: site.name };
      await session.ask('PUT', `/panel/sites/${getSiteId(site)}`, body);
    }
    idsByClient.set(name, site_ids);
  }
  return idsByClient;
}

/** The update of the faulty plugin succeeds on the first ring. Then the sites report the errors of their visitors. */
async function runHaltedRollout({ session, fleet, getSiteId }: Story): Promise<void> {
  const names: PluginName[] = [FAULTY_PLUGIN, 'contact-forms'];
  const sites = fleet.sites.filter(
    ({ site }) =>
      site.client !== undefined &&
      site.client !== UPDATED_CLIENT &&
      names.some((name) => site.outdated.includes(name)),
  );
  const { rollout } = await session.ask<{ rollout: { rollout_id: number } }>(
    'POST',
    '/panel/rollouts',
    {
      site_ids: sites.map(({ site }) => getSiteId(site)),
      items: names.map(toItem),
    },
  );
  const path = `/panel/rollouts/${rollout.rollout_id}`;
  await waitForStatus(session, path, 'soaking');
  await sleep(FIRST_ERROR_MS);
  const withErrors = fleet.sites.filter(({ site }) => site.failsAfterUpdate);
  await Promise.all(withErrors.map(({ report }) => report()));
  await waitForStatus(session, path, 'halted');
}

async function waitForStatus(session: PanelClient, path: string, wanted: string): Promise<void> {
  const deadline = performance.now() + ROLLOUT_TIMEOUT_MS;
  for (;;) {
    const { rollout } = await session.ask<{ rollout: { status: string } }>('GET', path);
    if (rollout.status === wanted) return;
    if (performance.now() > deadline)
      throw new Error(`The rollout of the demo is ${rollout.status} instead of ${wanted}.`);
    await sleep(500);
  }
}

async function createRules(session: PanelClient): Promise<void> {
  const { type: item_type, slug } = toItem('shop-kit');
  for (const rule of [
    { aspect: 'wait', days: 3, item_type: 'theme' },
    {
      aspect: 'level',
      level: 'patch',
      item_type,
      slug,
      note: 'Newer versions need a new checkout.',
    },
    { aspect: 'level', level: 'patch', item_type: 'core', tag: 'health' },
  ]) {
    await session.ask('POST', '/panel/rules', rule);
  }
}

async function createSchedules(session: PanelClient): Promise<void> {
  const common = { once_on: null, time_zone: TIME_ZONE, in_site_zone: true, enabled: true };
  const night = { ...common, opens_at: '02:00', closes_at: '05:00' };
  for (const schedule of [
    {
      ...{ name: 'Shops on Tuesdays', weekdays: [2], in_rings: false },
      ...{ selection: { tag: 'retail' }, types: ['plugin', 'theme'] },
    },
    {
      ...{ name: 'Care plan', weekdays: [1, 4], in_rings: true },
      ...{ selection: { tag: 'care plan' }, types: ['plugin', 'theme', 'core'] },
    },
  ]) {
    await session.ask('POST', '/panel/schedules', { ...night, ...schedule });
  }
}

function toItem(plugin: PluginName) {
  const { name, version } = PLUGINS[plugin];
  return { type: 'plugin', slug: pluginFile(plugin), version, name };
}
