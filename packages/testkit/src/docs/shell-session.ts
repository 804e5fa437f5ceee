import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bareEnvironment, STEWARD } from '../panel/panel-process.ts';
import { steward } from '../panel/steward-command.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const END_TIMEOUT_MS = 30_000;
const POLL_MS = 20;
const AGENT = join(ROOT, 'node_modules/.bin/steward-agent');

/**
 * The programs that replace `npx`, `npm` and `curl` in a shell session. A user runs a server in a separate terminal; here
 * the server runs in the background, and the script continues when the server is ready. Other `steward` commands run in
 * the process of the test, because a process costs a second. `npm ci` does nothing: the packages are those of the running test.
 */
const SHIMS = {
  npx: `#!/bin/sh
[ "$1" = --no-install ] && shift
program=$1; shift
case "$program $1" in
  'steward serve') shift; exec start-server 'is running' '${STEWARD}' serve --port "\${PORT:-0}" "$@" ;;
  'steward '*) exec run-steward "$@" ;;
  'steward-agent '*) exec start-server 'Connected to' '${AGENT}' "$@" ;;
esac
echo "npx: unexpected program $program" >&2; exit 127
`,
  npm: `#!/bin/sh
case "$1" in
  ci) exit 0 ;;
  start) exec npx steward serve ;;
esac
echo "npm: unexpected command $*" >&2; exit 127
`,
  // A response with an error status is a failed command.
  curl: `#!/bin/sh
PATH=\${PATH#*:} exec curl --fail-with-body "$@"
`,
  'run-steward': `#!/bin/sh
call=$(mktemp -d "$SESSION/call-XXXXXX")
printf '%s\\0' "$@" > "$call/args"; env -0 > "$call/env"; pwd > "$call/folder"; cat > "$call/input"
: > "$call/ready"
while [ ! -e "$call/ended" ]; do sleep 0.05; done
cat "$call/stdout"; cat "$call/stderr" >&2
exit "$(cat "$call/code")"
`,
  'start-server': `#!/bin/sh
ready=$1; shift
log=$(mktemp "$SESSION/server-XXXXXX")
(sh -c 'echo $$ > "$0.pid"; exec "$@"' "$log" "$@"; : > "$log.ended") >"$log" 2>&1 </dev/null &
while ! grep -q "$ready" "$log"; do
  [ ! -e "$log.ended" ] || { cat "$log" >&2; exit 1; }
  sleep 0.1
done
`,
};

export type Session = {
  /** An empty folder, the current folder of the commands. */
  folder: string;
  env: NodeJS.ProcessEnv;
};

/** Runs a script with `sh -eux` and ends the servers that it started. Throws the line of the block with the failed command. */
export async function runInShell(script: string, { folder, env }: Session): Promise<string> {
  const session = join(folder, '.session');
  await mkdir(session, { recursive: true });
  for (const [name, text] of Object.entries(SHIMS)) {
    await writeFile(join(session, name), text);
    await chmod(join(session, name), 0o755);
  }
  const base = bareEnvironment();
  const settings = { ...base, PATH: [session, base.PATH].join(delimiter), ...env };
  const commands = runCommands(session);
  try {
    const file = join(session, 'script');
    await writeFile(file, script);
    return await execute(file, folder, { ...settings, SESSION: session });
  } finally {
    await commands.stop();
    await endServers(session);
  }
}

/** Runs the commands that the script requests with `run-steward`, one after another, until `stop`. */
function runCommands(session: string) {
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      for (const name of await readdir(session)) {
        const call = join(session, name);
        if (!existsSync(join(call, 'ready')) || existsSync(join(call, 'ended'))) continue;
        await runCommand(call);
      }
      await delay(POLL_MS);
    }
  })();
  return {
    stop() {
      isStopped = true;
      return running;
    },
  };
}

async function runCommand(call: string): Promise<void> {
  const read = (name: string) => readFile(join(call, name), 'utf8');
  const list = async (name: string) => (await read(name)).split('\0').slice(0, -1);
  const env = Object.fromEntries((await list('env')).map((line) => line.split(/=(.*)/s)));
  const before = process.cwd();
  process.chdir((await read('folder')).trimEnd());
  try {
    const result = await steward(await list('args'), env, await read('input'));
    for (const name of ['stdout', 'stderr', 'code'] as const) {
      await writeFile(join(call, name), String(result[name]));
    }
  } finally {
    process.chdir(before);
    await writeFile(join(call, 'ended'), '');
  }
}

async function execute(file: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const shell = spawn('sh', ['-eux', file], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    shell[stream].setEncoding('utf8').on('data', (chunk: string) => {
      output[stream] += chunk;
    });
  const [code] = await once(shell, 'close');
  if (code === 0) return output.stdout;
  // The shell prints each command before it runs it, also the label of each block.
  const line = [...output.stderr.matchAll(/^\+ : block in line (\d+)$/gm)].at(-1)?.[1] ?? '?';
  throw new Error(`Block in line ${line}: exit code ${code}\n${output.stderr.slice(-1500)}`);
}

async function endServers(session: string): Promise<void> {
  const files = (await readdir(session)).filter((name) => name.endsWith('.pid'));
  await Promise.all(files.map((name) => endServer(join(session, name))));
}

async function endServer(pidFile: string): Promise<void> {
  const hasEnded = () => existsSync(pidFile.replace(/pid$/, 'ended'));
  if (hasEnded()) return;
  const id = Number(await readFile(pidFile, 'utf8'));
  process.kill(id, 'SIGTERM');
  const timer = setTimeout(() => process.kill(id, 'SIGKILL'), END_TIMEOUT_MS);
  while (!hasEnded()) await delay(50);
  clearTimeout(timer);
}
