import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeScreensReady } from '@steward/web/ready';
import { portOf, SITES } from './fleet.ts';
import {
  dataDirOf,
  emptyFolder,
  type Kept,
  notePanel,
  readKept,
  stopLeftDatabase,
  takeFolder,
  writeKept,
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

/** `npm run demo`: a panel and twelve sites, in one folder. */

const EMAIL = 'owner@steward.demo';
const stopping = stopOnSignal();

try {
  const settings = readSettings(process.argv.slice(2));
  if (settings) await run(settings);
} catch (error) {
  // What fails because all is being stopped is no fault.
  if (!stopping.isUnderWay()) {
    fail(error);
    await stopping.stop(1);
  }
}

async function run(settings: Settings): Promise<void> {
  const { folder, withWordPress } = settings;
  // Loaded when it is wanted: what the WordPress sites come with is half of the tests.
  const wordpress = withWordPress ? await import('./wordpress.ts') : null;
  wordpress?.assertWordPressCanRun();
  await takeFolder(folder);
  const kept = await openFolder(settings);
  // For programs the address: where localhost leads is for each of them to decide.
  const here = `http://127.0.0.1:${kept.port}`;
  const isFirstStart = !kept.isReady;
  const otherPorts = commandFor('demo', folder, kept.port + 100);
  await assertPortsFree(
    portsOf(kept.port, withWordPress),
    isFirstStart
      ? `choose other ports: ${otherPorts}`
      : `begin anew with other ports: ${commandFor('demo:reset', folder)} && ${otherPorts}`,
  );
  if (isFirstStart) {
    print('Making twelve sites and a panel; this happens once.');
    writeKept(folder, kept);
    await writeFleet(folder);
  }
  const fleet = await startFleet(folder, kept.port);
  stopping.add(fleet.stop);
  await makeScreensReady(print);
  const panel = await startPanel(folder, kept.port);
  if (isFirstStart) {
    await setUp(folder, here, kept, fleet);
    writeKept(folder, { ...kept, isReady: true });
  } else {
    await report(fleet);
  }
  fleet.startCheckIns();
  printWelcome(kept, folder);
  await wordpress?.startWordPress({ folder, panelUrl: here, kept }, stopping.add);
  await panel.ended;
}

/** What the folder remembers, or what a new one will; a first start that was broken off is forgotten. */
async function openFolder({ folder, port }: Settings): Promise<Kept> {
  const kept = readKept(folder);
  if (kept?.isReady) {
    if (port !== null && port !== kept.port) {
      throw new Error(
        `The sites of this demo have port ${kept.port} and following in their addresses. Leave out --port, or begin anew with ${commandFor('demo:reset', folder)}.`,
      );
    }
    return kept;
  }
  if (kept) print('The first start was broken off; it begins anew.');
  await emptyFolder(folder);
  const password = randomBytes(12).toString('base64url');
  return { port: port ?? DEFAULT_PORT, email: EMAIL, password, isReady: false };
}

function portsOf(firstPort: number, withWordPress: boolean): number[] {
  const up = SITES.filter(({ trouble }) => trouble !== 'down');
  return [
    firstPort,
    ...up.map((site) => portOf(site, firstPort)),
    ...(withWordPress ? WORDPRESS_SITES.map((_, at) => wordpressPort(at, firstPort)) : []),
  ];
}

async function startPanel(folder: string, port: number): Promise<PanelProcess> {
  const env = {
    DATA_DIR: dataDirOf(folder),
    PORT: String(port),
    LOG_LEVEL: 'warn',
    ALLOW_PRIVATE_SITES: 'true',
    SITE_ADDRESSES: [...SITES, ...WORDPRESS_SITES].map(({ host }) => `${host}=127.0.0.1`).join(','),
    // All sites are on this machine, and the slow one must not hold up the others.
    SITE_CALLS_PER_ADDRESS: '6',
  };
  stopping.add(() => stopLeftDatabase(folder));
  let panel: PanelProcess | undefined;
  await startPanelProcess(env, join(folder, 'panel.log'), (started) => {
    panel = started;
    notePanel(folder, started.pid);
    stopping.add(started.stop);
  });
  return panel as PanelProcess;
}

/** Sites that come back tell their panel what they have. One with a suspended license is refused. */
async function report({ sites }: Fleet): Promise<void> {
  const up = sites.filter(({ site }) => site.trouble !== 'down');
  await Promise.allSettled(up.map((each) => each.report()));
}
