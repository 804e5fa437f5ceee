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
import { MIN_SITES } from './fleet.ts';
import { runSteward } from './panel-process.ts';

/** The settings of a demo, stored in its folder. The folder holds all data of the demo. */
export type DemoState = {
  port: number;
  /** The number of sites, without those of WordPress. */
  sites: number;
  email: string;
  password: string;
  /** False until the first start is complete. */
  isReady: boolean;
};

type StoredState = Omit<DemoState, 'sites'> & Partial<Pick<DemoState, 'sites'>>;

const LOCK_FILE = 'lock';
/** A process that takes the lock creates further files next to it, such as `lock.removal`. */
const isLockFile = (name: string) => name === LOCK_FILE || name.startsWith(`${LOCK_FILE}.`);
const STATE_FILE = 'demo.json';
const PANEL_PID_FILE = 'panel.pid';
/** The demo refuses a folder with any other file, because it deletes the folder on reset. */
const DEMO_FILES = [
  STATE_FILE,
  `${STATE_FILE}.new`,
  PANEL_PID_FILE,
  'backups',
  'panel',
  'panel.log',
  'packages',
  'packages-damaged',
  'sites',
  'wordpress',
];
const PREVIOUS_PANEL_TIMEOUT_MS = 30_000;

export const panelDataDir = (folder: string) => join(folder, 'panel');

export function readState(folder: string): DemoState | null {
  const file = join(folder, STATE_FILE);
  if (!existsSync(file)) return null;
  // Older demos did not store the number of sites.
  return { sites: MIN_SITES, ...(JSON.parse(readFileSync(file, 'utf8')) as StoredState) };
}

/** Writes a new file and renames it, so that a killed demo never leaves a partial file. */
export function writeState(folder: string, state: DemoState): void {
  const temporaryFile = join(folder, `${STATE_FILE}.new`);
  writeFileSync(temporaryFile, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporaryFile, join(folder, STATE_FILE));
}

/** Locks the folder for this process, then waits until the panel of a killed demo has exited. */
export async function lockFolder(folder: string): Promise<void> {
  if (!isDemoFolder(folder)) {
    throw new Error(
      `${folder} is not a demo folder: it contains other files. Choose another folder with --folder.`,
    );
  }
  mkdirSync(folder, { recursive: true });
  const holder = acquireLock(join(folder, LOCK_FILE));
  if (holder !== null) {
    throw new Error(
      `The demo is already running as process ${holder}. Stop it with Ctrl+C in its terminal.`,
    );
  }
  await waitForPreviousPanel(folder);
}

/** True if the folder is missing, empty or contains only files of the demo. */
export function isDemoFolder(folder: string): boolean {
  if (!existsSync(folder)) return true;
  const names = readdirSync(folder).filter((name) => !isLockFile(name));
  return names.every((name) => DEMO_FILES.includes(name));
}

export function savePanelPid(folder: string, pid: number): void {
  writeFileSync(join(folder, PANEL_PID_FILE), describeProcess(pid));
}

/** The panel of a killed demo shuts down without help, but this takes a moment. */
async function waitForPreviousPanel(folder: string): Promise<void> {
  const file = join(folder, PANEL_PID_FILE);
  if (!existsSync(file)) return;
  const saved = readFileSync(file, 'utf8');
  const pid = Number.parseInt(saved, 10);
  const deadline = performance.now() + PREVIOUS_PANEL_TIMEOUT_MS;
  while (describeProcess(pid) === saved) {
    if (performance.now() > deadline) {
      throw new Error(`The panel of the previous demo is still running as process ${pid}.`);
    }
    await sleep(100);
  }
  rmSync(file);
}

/** Empties a locked folder. The lock file is removed when this process exits. */
export async function emptyFolder(folder: string): Promise<void> {
  await stopOrphanedDatabase(folder);
  // Remove the state file last, so that an interrupted removal can be repeated.
  const names = readdirSync(folder).filter((name) => !isLockFile(name) && name !== STATE_FILE);
  // Retry, because a process of the killed demo may still write for a moment.
  const options = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 };
  for (const name of [...names, STATE_FILE]) rmSync(join(folder, name), options);
}

/** Stops the PostgreSQL of a killed panel: every `steward` command stops it at its end, if no other process uses it. */
export async function stopOrphanedDatabase(folder: string): Promise<void> {
  const dataDir = panelDataDir(folder);
  if (!existsSync(join(dataDir, 'postgres/postmaster.pid'))) return;
  await runSteward(['migrate'], { DATA_DIR: dataDir });
}
