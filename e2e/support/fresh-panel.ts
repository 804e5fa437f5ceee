import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../../packages/panel/src/main.ts');

/** A panel that nobody has set up yet, and the link for its first owner. */
export async function launchFreshPanel(dataDir: string) {
  const child = spawn(process.execPath, [MAIN, 'serve', '--port', '0'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  }
  const setUpLink = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const link = /http:\S+\/setup#token=\S+/.exec(printed)?.[0];
      if (link) resolve(link);
    });
    child.once('exit', () => reject(new Error(`The panel ended: ${printed}`)));
  });
  return {
    setUpLink,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
