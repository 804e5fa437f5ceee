import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock, describeProcess } from '@steward/agent/platforms/directory/site-lock.ts';
import { runSteward } from './panel-process.ts';

/** Everything the demo keeps lies in one folder, and this is what the folder says about itself. */
export type Kept = {
  port: number;
  email: string;
  password: string;
  /** False until the first start has come to its end. */
  isReady: boolean;
};

const LOCK = 'lock';
const KEPT = 'demo.json';
const PANEL = 'panel.pid';
/** A folder with anything else in it is somebody's own, and stays as it is. */
const OWN_NAMES = [
  KEPT,
  `${KEPT}.new`,
  PANEL,
  'panel',
  'panel.log',
  'packages',
  'packages-damaged',
  'sites',
  'wordpress',
];
const PREVIOUS_PANEL_MS = 30_000;

export const dataDirOf = (folder: string) => join(folder, 'panel');

export function readKept(folder: string): Kept | null {
  const file = join(folder, KEPT);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : null;
}

/** Written beside the old one and renamed: a kill leaves the one or the other. */
export function writeKept(folder: string, kept: Kept): void {
  const draft = join(folder, `${KEPT}.new`);
  writeFileSync(draft, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, join(folder, KEPT));
}

/** Takes the folder for this process, or says who has it; waits for what a killed demo left behind. */
export async function takeFolder(folder: string): Promise<void> {
  if (!isDemoFolder(folder)) {
    throw new Error(`${folder} holds something that is no demo. Choose another with --folder.`);
  }
  mkdirSync(folder, { recursive: true });
  const holder = acquireLock(join(folder, LOCK));
  if (holder !== null) {
    throw new Error(
      `The demo is running already, as process ${holder}. Stop it with Ctrl+C there.`,
    );
  }
  await previousPanelEnded(folder);
}

/** What is there is the demo's own, or there is nothing. */
export function isDemoFolder(folder: string): boolean {
  if (!existsSync(folder)) return true;
  const names = readdirSync(folder).filter((name) => name !== LOCK);
  return names.every((name) => OWN_NAMES.includes(name));
}

export function notePanel(folder: string, pid: number): void {
  writeFileSync(join(folder, PANEL), describeProcess(pid));
}

/** A panel whose demo was killed notices that and stops in order, which takes a moment. */
async function previousPanelEnded(folder: string): Promise<void> {
  const file = join(folder, PANEL);
  if (!existsSync(file)) return;
  const noted = readFileSync(file, 'utf8');
  const pid = Number.parseInt(noted, 10);
  const deadline = performance.now() + PREVIOUS_PANEL_MS;
  while (describeProcess(pid) === noted) {
    if (performance.now() > deadline) {
      throw new Error(`The panel of the demo before is still running, as process ${pid}.`);
    }
    await sleep(100);
  }
  rmSync(file);
}

/** Removes what is in a folder that was taken; the lock goes with this process. */
export async function emptyFolder(folder: string): Promise<void> {
  await stopLeftDatabase(folder);
  // What says that the folder is the demo's goes last, should this be interrupted.
  const names = readdirSync(folder).filter((name) => ![LOCK, KEPT].includes(name));
  // Somebody who was killed with the demo may write for a moment yet.
  const options = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 };
  for (const name of [...names, KEPT]) rmSync(join(folder, name), options);
}

/** When a panel was killed, its PostgreSQL goes on. Whoever uses it last stops it. */
export async function stopLeftDatabase(folder: string): Promise<void> {
  const dataDir = dataDirOf(folder);
  if (!existsSync(join(dataDir, 'postgres/postmaster.pid'))) return;
  await runSteward(['migrate'], { DATA_DIR: dataDir });
}
