import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type NotificationInbox,
  startNotificationInbox,
} from '@steward/testkit/notifications/notification-inbox.ts';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { launchPanel, launchWorker } from '@steward/testkit/panel/panel-process.ts';
import { createInBatches, type FleetSite, startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { STEWARD } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  createLicensedSite,
  type LicensedSite,
  type LicensingPanel,
  startLicensingPanel,
} from '@steward/testkit/wordpress/licensed-site.ts';
import { writePlugin } from '@steward/testkit/wordpress/packages.ts';

const MEMORY_SITES = 41;
/** A broken site, a canary and a site in a later ring. */
const WORDPRESS_SITES = 3;
const WAIT = { headers: { prefer: 'wait=120' } };
const SETTINGS = {
  SITE_CALLS_AT_ONCE: '20',
  SITE_CALLS_PER_ADDRESS: '20',
  // The shortest lease that the queue allows.
  WORKER_LEASE_SECONDS: '10',
};

/** A site of the fleet, in memory or a real WordPress. */
export type FleetMember = {
  siteId: number;
  url: string;
  kind: 'memory' | 'wordpress';
  /** Version 2.0 of the offered plugin breaks the site. */
  isFragile: boolean;
  setFragile(): Promise<void>;
  /** Installs version 1.0 of a plugin and offers 2.0. */
  offer(plugin: string): Promise<void>;
  version(plugin: string): Promise<string | undefined>;
  /** The calls of the current test that may change the site. */
  calls(): Promise<string[]>;
  forgetCalls(): Promise<void>;
};

export const fileOf = (plugin: string) => `${plugin}/${plugin}.php`;

export type RolloutFleet = Awaited<ReturnType<typeof startRolloutFleet>>;

/** Starts a web process, a worker process, 41 sites in memory and 3 WordPress sites. */
export async function startRolloutFleet() {
  const opened = new AsyncDisposableStack();
  try {
    const inbox = await startNotificationInbox();
    opened.defer(inbox.stop);
    return await openFleet(opened, inbox);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function openFleet(opened: AsyncDisposableStack, inbox: NotificationInbox) {
  const panel = await startLicensingPanel({
    args: ['--role', 'web'],
    settings: { ...SETTINGS, ...inbox.env },
  });
  opened.defer(panel.stop);
  const bed = await openBed();
  opened.defer(bed.stop);
  const fleet = await startFleet(panel.url, panel.licenseKey);
  opened.defer(fleet.stop);

  const processes = { endWeb: panel.end, worker: null as ChildProcess | null };
  const startWorker = async () => {
    processes.worker = await launchWorker(panel.env);
  };
  const killWorker = async () => {
    const { worker } = processes;
    if (worker?.exitCode !== null || worker.signalCode !== null) return;
    worker.kill('SIGKILL');
    await once(worker, 'close');
  };
  opened.defer(async () => {
    await killWorker();
    await processes.endWeb('SIGKILL');
  });
  await startWorker();

  const owner = await signInAt(panel.url, await panel.newUser());
  const otherOwner = await signInAt(panel.url, await panel.newUser('owner', 'Oscar'));
  await inbox.subscribe(owner, ['rollout.halted', 'version.quarantined']);

  const members: FleetMember[] = [];
  for (let count = 0; count < WORDPRESS_SITES; count++) {
    members.push(await createWordPressMember(bed, panel));
  }
  const memorySites = await createInBatches(MEMORY_SITES, (index) => fleet.add(`s${index}`));
  for (const site of memorySites) {
    const { id } = await panel.database.db
      .selectFrom('sites')
      .select('id')
      .where('url', '=', site.siteUrl)
      .executeTakeFirstOrThrow();
    members.push(createMemoryMember(site, id));
  }
  const memberOf = (siteId: number): FleetMember => {
    const member = members.find((each) => each.siteId === siteId);
    if (!member) throw new Error(`No site has the id ${siteId}.`);
    return member;
  };

  return {
    inbox,
    owner,
    otherOwner,
    members,
    memberOf,
    database: panel.database,

    /** Offers version 2.0 of a plugin to all sites, syncs them and forgets their calls. */
    async offerToAll(plugin: string): Promise<void> {
      await Promise.all(members.map((member) => member.offer(plugin)));
      const site_ids = members.map(({ siteId }) => siteId);
      await owner.ask('POST', '/panel/sites/sync', { site_ids }, WAIT);
      await Promise.all(members.map((member) => member.forgetCalls()));
    },

    /** Kills both processes without warning and starts them again at the same address. */
    async killAndRestart(whileDown: () => Promise<void> = async () => {}): Promise<void> {
      await Promise.all([killWorker(), processes.endWeb('SIGKILL')]);
      await whileDown();
      const args = ['--role', 'web', '--port', new URL(panel.url).port];
      const web = await launchPanel(panel.env, { args });
      processes.endWeb = web.end;
      await startWorker();
    },

    stop: () => opened.disposeAsync(),
  };
}

const FRAGILE = 'STEWARD_TEST_FRAGILE';
const FATAL_ON_FRAGILE_SITES = `if ( defined( '${FRAGILE}' ) ) { no_such_function(); }`;

const RECORD_CALLS = `<?php
if ( preg_match( '{remote/(update|plugin-action)}', $_SERVER['REQUEST_URI'] ?? '', $matches ) ) {
	file_put_contents( WP_CONTENT_DIR . '/remote-calls.log', $matches[1] . "\\n", FILE_APPEND );
}
`;

async function createWordPressMember(bed: Bed, panel: LicensingPanel): Promise<FleetMember> {
  const site: LicensedSite = await createLicensedSite(bed, panel);
  await site.connect();
  const content = join(site.root, 'wp-content');
  await mkdir(join(content, 'mu-plugins'), { recursive: true });
  await writeFile(join(content, 'mu-plugins/record-calls.php'), RECORD_CALLS);
  const log = join(content, 'remote-calls.log');
  const member: FleetMember = {
    siteId: site.siteId,
    url: site.url,
    kind: 'wordpress',
    isFragile: false,
    async setFragile() {
      await site.setConstants({ [FRAGILE]: true });
      await site.clearOpcache();
      member.isFragile = true;
    },
    async offer(plugin) {
      await writePlugin(site, plugin, '1.0');
      await site.setActivePlugins([fileOf(plugin), STEWARD]);
      const body = FATAL_ON_FRAGILE_SITES;
      const packageUrl = await bed.packages.plugin(plugin, '2.0', { body });
      await site.offer({ plugins: { [fileOf(plugin)]: { version: '2.0', package: packageUrl } } });
    },
    version: async (plugin) => (await site.installedPlugins())[fileOf(plugin)],
    calls: async () => (await readFile(log, 'utf8')).split('\n').filter(Boolean),
    forgetCalls: () => writeFile(log, ''),
  };
  return member;
}

function createMemoryMember(site: FleetSite, siteId: number): FleetMember {
  const { state, calls } = site;
  const member: FleetMember = {
    siteId,
    url: site.siteUrl,
    kind: 'memory',
    isFragile: false,
    async setFragile() {
      for (const plugin of Object.values(state.plugins)) {
        plugin.updateRollsBack = 'The new version breaks the site: Call to undefined function.';
      }
      member.isFragile = true;
    },
    async offer(plugin) {
      member.isFragile = false;
      state.plugins = { [fileOf(plugin)]: { version: '1.0', newVersion: '2.0', active: true } };
    },
    version: async (plugin) => state.plugins[fileOf(plugin)]?.version,
    calls: async () => calls.filter((call) => call !== 'sync'),
    async forgetCalls() {
      calls.length = 0;
    },
  };
  return member;
}
