import { existsSync, rmSync } from 'node:fs';
import { emptyFolder, isDemoFolder, lockFolder } from './folder.ts';
import { commandFor, fail, print, shortPath } from './print.ts';
import { readSettings } from './settings.ts';

/** `npm run demo:reset`: deletes the demo folder, unless the demo is running. */
try {
  const settings = readSettings(process.argv.slice(2));
  if (settings) await reset(settings.folder);
} catch (error) {
  fail(error);
  process.exitCode = 1;
}

async function reset(folder: string): Promise<void> {
  if (!existsSync(folder)) return print(`There is no demo in ${shortPath(folder)}.`);
  if (!isDemoFolder(folder))
    throw new Error(`${folder} is not a demo folder. Nothing was deleted.`);
  await lockFolder(folder);
  await emptyFolder(folder);
  rmSync(folder, { recursive: true });
  print(
    `Deleted the demo in ${shortPath(folder)}. Run ${commandFor('demo', folder)} to create a new one.`,
  );
}
