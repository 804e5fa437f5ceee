import { existsSync, rmSync } from 'node:fs';
import { emptyFolder, isDemoFolder, takeFolder } from './folder.ts';
import { commandFor, fail, print, short } from './print.ts';
import { readSettings } from './settings.ts';

/** `npm run demo:reset`: removes the demo's folder, unless the demo runs. */
try {
  const settings = readSettings(process.argv.slice(2));
  if (settings) await reset(settings.folder);
} catch (error) {
  fail(error);
  process.exitCode = 1;
}

async function reset(folder: string): Promise<void> {
  if (!existsSync(folder)) return print(`There is no demo in ${short(folder)}.`);
  if (!isDemoFolder(folder)) throw new Error(`${folder} is no demo; nothing was removed.`);
  await takeFolder(folder);
  await emptyFolder(folder);
  rmSync(folder, { recursive: true });
  print(`The demo in ${short(folder)} is gone. ${commandFor('demo', folder)} makes a new one.`);
}
