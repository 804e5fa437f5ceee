import { readFileSync } from 'node:fs';
import type { Role } from '@steward/contract';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { launchPanel } from '@steward/testkit/panel/panel-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';

/** Starts the panel as a process, with a signed-in owner. */
export async function startPanelProcess(env: NodeJS.ProcessEnv) {
  const panel = await launchPanel({ LOG_LEVEL: 'warn', ...env });
  const owner = await newSignedInUser(
    panel.url,
    env,
    `owner-${Date.now()}@example.com`,
    'owner',
  ).catch(async (error) => {
    await panel.end('SIGTERM');
    throw error;
  });
  return {
    url: panel.url,
    pid: panel.pid,
    owner,
    /** Returns the peak memory of the process in MB. */
    readPeakMemoryMb: () => {
      const status = readFileSync(`/proc/${panel.pid}/status`, 'utf8');
      return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    },
    async stop() {
      await panel.end('SIGTERM');
      process.stderr.write(panel.output.stderr);
    },
  };
}

export type SignedInUser = PanelClient & { id: number };

const password = 'a password for benchmarks only';

/** Signs in as a user that a previous run has created in the same database, or creates the user. */
export async function signInOrCreateUser(
  url: string,
  env: NodeJS.ProcessEnv,
  email: string,
  role: Role,
): Promise<SignedInUser> {
  const client = await signInAt(url, { email, password }).catch(() => null);
  if (!client) return newSignedInUser(url, env, email, role);
  const { body } = await client.get('/panel/session');
  return { ...client, id: body.user.id };
}

/** Creates a user and signs in. */
export async function newSignedInUser(
  url: string,
  env: NodeJS.ProcessEnv,
  email: string,
  role: Role,
): Promise<SignedInUser> {
  const create = ['user', 'create', '--email', email, '--role', role, '--password-stdin'];
  const { id } = await run<{ id: number }>(create, env, password);
  return { ...(await signInAt(url, { email, password })), id };
}

/** Runs a `steward` command and returns its JSON output. */
export async function run<T>(args: string[], env: NodeJS.ProcessEnv, input = ''): Promise<T> {
  const { code, stdout, stderr } = await steward([...args, '--json'], env, input);
  if (code !== 0) throw new Error(`steward ${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as T;
}
