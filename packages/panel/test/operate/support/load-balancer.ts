import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePorts } from '@steward/testkit/free-port.ts';
import { startProcessGroup } from '@steward/testkit/process-group.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { onTestFinished } from 'vitest';

const GUIDE = join(import.meta.dirname, '../../../../../docs/operate.md');

/** Starts Caddy in front of two ports, with the configuration of the guide. */
export async function startLoadBalancer() {
  const [port, ...ports] = await findFreePorts(3);
  const folder = temporaryFolder();
  const config = join(folder, 'Caddyfile');
  const snippet = /```caddyfile\n([\s\S]+?)```/.exec(readFileSync(GUIDE, 'utf8'))?.[1] ?? '';
  const sites = snippet
    .replace('panel.example.com', `http://127.0.0.1:${port}`)
    .replace('127.0.0.1:8081 127.0.0.1:8082', ports.map((each) => `127.0.0.1:${each}`).join(' '));
  writeFileSync(config, `{\n  admin off\n}\n${sites}`);
  const caddy = startProcessGroup(['caddy', 'run', '--adapter', 'caddyfile', '--config', config], {
    logFile: join(folder, 'caddy.log'),
    env: { PATH: process.env.PATH, HOME: folder },
  });
  onTestFinished(() => caddy.stop());
  await caddy.waitUntilReady((log) => log.includes('serving initial configuration'));
  const starts = new Map<number, number>();
  return {
    url: `http://127.0.0.1:${port}`,
    ports,
    /** Waits until Caddy has noticed the start of a process. */
    async waitUntilUp(upstream: number) {
      const expected = (starts.get(upstream) ?? 0) + 1;
      starts.set(upstream, expected);
      const line = `"host is up","host":"127.0.0.1:${upstream}"`;
      await caddy.waitUntilReady((log) => log.split(line).length > expected);
    },
  };
}
