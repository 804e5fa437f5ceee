import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { startLeashed } from './leashed-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'steward-leash-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MODULE = join(import.meta.dirname, 'leashed-process.ts');
// Prints its own id and that of a process it has started, as a server with workers would be.
const PARENT_AND_CHILD = ['sh', '-c', 'sleep 1000 & echo $$ $!; wait'];

function pidsIn(logFile: string): number[] {
  return readFileSync(logFile, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

function isAlive(pid: number): boolean {
  try {
    // A dead process that nobody has waited for can still be signalled.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

it('ends with all it has started when it is stopped', async () => {
  const logFile = join(folder, 'stopped.log');
  const leashed = startLeashed(PARENT_AND_CHILD, { logFile, env: process.env });
  await leashed.ready((log) => log.includes('\n'));
  expect(pidsIn(logFile).map(isAlive)).toEqual([true, true]);
  await leashed.stop();
  await vi.waitFor(() => expect(pidsIn(logFile).map(isAlive)).toEqual([false, false]), 10_000);
});

it('ends when who started it is killed', async () => {
  const logFile = join(folder, 'orphaned.log');
  const script = `const { startLeashed } = await import(${JSON.stringify(MODULE)});
    const leashed = startLeashed(${JSON.stringify(PARENT_AND_CHILD)}, { logFile: ${JSON.stringify(logFile)}, env: process.env });
    await leashed.ready((log) => log.includes('\\n'));
    console.log('ready');
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script]);
  await once(owner.stdout, 'data');
  expect(pidsIn(logFile).map(isAlive)).toEqual([true, true]);
  owner.kill('SIGKILL');
  await vi.waitFor(() => expect(pidsIn(logFile).map(isAlive)).toEqual([false, false]), 10_000);
});

it('says what it printed when it ends before it is ready', async () => {
  const leashed = startLeashed(['sh', '-c', 'echo no luck today; exit 3'], {
    logFile: join(folder, 'failed.log'),
    env: process.env,
  });
  await expect(leashed.ready(() => false)).rejects.toThrow('no luck today');
});
