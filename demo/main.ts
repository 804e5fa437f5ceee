import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureScreensBuilt } from '@steward/web/ready';
import type { PlacedSite } from './demo-site.ts';
import { createFleet, MIN_SITES, sitePort } from './fleet.ts';
import {
  type DemoState,
  emptyFolder,
  lockFolder,
  panelDataDir,
  readState,
  savePanelPid,
  stopOrphanedDatabase,
  writeState,
} from './folder.ts';
import { writeFleet } from './packages.ts';
import { type PanelProcess, startPanelProcess } from './panel-process.ts';
import { assertPortsFree } from './ports.ts';
import { commandFor, fail, print, printWelcome } from './print.ts';
import { setUp } from './set-up.ts';
import { DEFAULT_PORT, readSettings, type Settings } from './settings.ts';
import { type Fleet, startFleet } from './sites.ts';
import { stopOnSignal } from './stop.ts';
import { WORDPRESS_SITES, wordpressPort } from './wordpress-sites.ts';

/** `npm run demo`: starts a panel and its sites, with all data in one folder. */

const EMAIL = 'owner@steward.demo';
const shutdown = stopOnSignal();

try {
  const settings = readSettings(process.argv.slice(2));
  if (settings) await run(settings);
} catch (error) {
  // Ignore errors during shutdown: they are expected.
  if (!shutdown.isStopping()) {
    fail(error);
    await shutdown.stop(1);
  }
}

async function run(settings: Settings): Promise<void> {
  const { folder, includesWordPress } = settings;
  // Import on demand, because this module loads a large part of the testkit.
  const wordpress = includesWordPress ? await import('./wordpress.ts') : null;
  wordpress?.assertWordPressCanRun();
  await lockFolder(folder);
  const state = await openFolder(settings);
  // Passkeys need a host name, and sites accept only links of the address to which they are connected.
  const panelUrl = `http://localhost:${state.port}`;
  const isFirstStart = !state.isReady;
  const otherPorts = commandFor('demo', folder, state.port + 100 + state.sites);
  const sites = createFleet(state.sites);
  await assertPortsFree(
    listPorts(sites, state, includesWordPress),
    isFirstStart
      ? `use other ports: ${otherPorts}`
      : `delete the demo and use other ports: ${commandFor('demo:reset', folder)} && ${otherPorts}`,
  );
  if (isFirstStart) {
    print(`Creating a panel and ${state.sites} sites. This runs only at the first start.`);
    writeState(folder, state);
    await writeFleet(folder, sites);
  }
  const fleet = await startFleet(folder, state.port, sites);
  shutdown.add(fleet.stop);
  await ensureScreensBuilt(print);
  const panel = await startPanel(folder, panelUrl, sites);
  if (isFirstStart) {
    await setUp(folder, panelUrl, state, fleet);
    writeState(folder, { ...state, isReady: true });
  } else {
    await reportAll(fleet, panelUrl);
  }
  fleet.startCheckIns();
  printWelcome(state, folder);
  await wordpress?.startWordPress({ folder, panelUrl, state }, shutdown.add);
  await panel.ended;
}

/** Returns the stored state or a new one. Discards the data of an interrupted first start. */
async function openFolder({ folder, port, sites }: Settings): Promise<DemoState> {
  const state = readState(folder);
  if (state?.isReady) {
    const refuse = (reason: string, option: string) => {
      const reset = commandFor('demo:reset', folder);
      throw new Error(`${reason}. Omit ${option}, or delete the demo with ${reset}.`);
    };
    if (port !== null && port !== state.port)
      refuse(`The sites of this demo use ports from ${state.port}`, '--port');
    if (sites !== null && sites !== state.sites)
      refuse(`This demo has ${state.sites} sites`, '--sites');
    return state;
  }
  if (state) print('The first start was interrupted. Starting again.');
  await emptyFolder(folder);
  const password = randomBytes(12).toString('base64url');
  return {
    ...{ port: port ?? DEFAULT_PORT, sites: sites ?? MIN_SITES },
    ...{ email: EMAIL, password, isReady: false },
  };
}

function listPorts(sites: PlacedSite[], state: DemoState, includesWordPress: boolean): number[] {
  const runningSites = sites.filter(({ fault }) => fault !== 'down');
  return [
    state.port,
    ...runningSites.map((site) => sitePort(site, state.port)),
    ...(includesWordPress ? WORDPRESS_SITES.map((_, index) => wordpressPort(index, state)) : []),
  ];
}

async function startPanel(
  folder: string,
  panelUrl: string,
  sites: PlacedSite[],
): Promise<PanelProcess> {
  const backupFolder = join(folder, 'backups');
  mkdirSync(backupFolder, { recursive: true });
  const env = {
    DATA_DIR: panelDataDir(folder),
    PORT: new URL(panelUrl).port,
    BASE_URL: panelUrl,
    LOG_LEVEL: 'warn',
    BACKUP_FOLDER: backupFolder,
    ALLOW_PRIVATE_SITES: 'true',
    SITE_ADDRESSES: [...sites, ...WORDPRESS_SITES].map(({ host }) => `${host}=127.0.0.1`).join(','),
    // All sites share one address, and the slow site must not block the other sites.
    SITE_CALLS_PER_ADDRESS: '6',
  };
  shutdown.add(() => stopOrphanedDatabase(folder));
  let panel: PanelProcess | undefined;
  await startPanelProcess(env, join(folder, 'panel.log'), (started) => {
    panel = started;
    savePanelPid(folder, started.pid);
    shutdown.add(started.stop);
  });
  return panel as PanelProcess;
}

/** Reports the inventory of all sites after a restart. Ignores refusals: one site has a suspended license. */
async function reportAll({ sites }: Fleet, panelUrl: string): Promise<void> {
  const running = sites.filter(({ site }) => site.fault !== 'down');
  // Older demos connected their sites to 127.0.0.1.
  await Promise.all(sites.map(({ options }) => options.write({ service_panel_url: panelUrl })));
  await Promise.allSettled(running.map(({ report }) => report()));
}
