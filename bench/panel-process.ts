import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The command as it is installed, with what its first line says to Node.js. */
const STEWARD = join(import.meta.dirname, '../node_modules/.bin/steward');

/** The panel as people run it, with an owner who is signed in. */
export async function startPanelProcess(env: NodeJS.ProcessEnv) {
  const child = spawn(STEWARD, ['serve', '--port', '0'], {
    env: { PATH: process.env.PATH, RATE_LIMIT: 'off', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await addressOf(child);
  const { cookie, csrf_token } = await newPerson(
    url,
    env,
    `owner-${Date.now()}@example.com`,
    'owner',
  );

  return {
    url,
    cookie,
    pid: child.pid ?? 0,
    async call<Body>(method: string, path: string, body?: unknown, headers = {}): Promise<Body> {
      const response = await fetch(url + path, {
        method,
        headers: {
          cookie,
          'x-csrf-token': csrf_token,
          'content-type': 'application/json',
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Body;
    },
    /** The most memory it has ever had, in MB. */
    peakMemoryMb: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

export type Person = { id: number; cookie: string; csrf_token: string };

/** Somebody who is signed in. */
export async function newPerson(
  url: string,
  env: NodeJS.ProcessEnv,
  email: string,
  role: 'owner' | 'manager' | 'viewer',
): Promise<Person> {
  const password = 'a password for the bench alone';
  const create = ['user', 'create', '--email', email, '--role', role, '--password-stdin'];
  await run(create, env, password);
  const signIn = await fetch(`${url}/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const cookie = signIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const { user, csrf_token } = (await signIn.json()) as {
    user: { id: number };
    csrf_token: string;
  };
  return { id: user.id, cookie, csrf_token };
}

export async function run(args: string[], env: NodeJS.ProcessEnv, input = ''): Promise<string> {
  const child = spawn(STEWARD, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(input);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`steward ${args.join(' ')} ended with ${code}`);
  return output;
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (chunk) => {
      printed += chunk;
      const address = /running at (\S+)/.exec(printed)?.[1];
      if (address) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`The panel ended with ${code}: ${printed}`)));
  });
}
