import { once } from 'node:events';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { registerSecret } from '../logs.ts';
import { signInAt } from '../panel/panel-client.ts';
import { launchDemo, waitUntilDemoRuns } from './demo-launch.ts';

/** One for the panel, at most 17 for sites in memory and two for WordPress sites. */
const PORT_COUNT = 20;

/** The tests need a slow site, but not for 20 seconds. */
const DEMO_SLOW_RESPONSE_MS = '3000';

export type DemoResult = { code: number | null; output: string };

/** Runs `npm run demo` or `demo:reset` until it exits. */
export async function runDemo(
  script: 'main.ts' | 'reset.ts',
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<DemoResult> {
  const { child, readOutput } = launchDemo(script, args, env);
  const [code] = await once(child, 'close');
  return { code, output: readOutput() };
}

/** Starts the demo and waits until it runs. Stops it when the test ends. */
export async function startDemo(args: string[], readyText?: string) {
  const { child, readOutput } = launchDemo('main.ts', args, { DEMO_SLOW_RESPONSE_MS });
  const exit = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exit;
  });
  const { url, email, password } = await waitUntilDemoRuns({ child, readOutput }, readyText);
  registerSecret(password);
  return {
    url,
    email,
    password,
    readOutput,
    signIn: () => signInAt(url, { email, password }),
    async end(signal: NodeJS.Signals): Promise<number | null> {
      child.kill(signal);
      return (await exit)[0];
    },
  };
}

/** Finds consecutive free ports for the demo and returns the first. */
export async function findConsecutivePorts(): Promise<number> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const ports = Array.from({ length: PORT_COUNT }, (_, index) => first + index);
    const servers = ports.map((port) => createServer().listen(port, '127.0.0.1'));
    const results = await Promise.all(
      servers.map((server) =>
        Promise.race([
          once(server, 'listening').then(() => true),
          once(server, 'error').then(() => false),
        ]).catch(() => false),
      ),
    );
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    if (results.every((isFree) => isFree)) return first;
  }
}
