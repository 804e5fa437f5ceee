import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { startProcessGroup } from './process-group.ts';

const folder = mkdtempSync(join(tmpdir(), 'steward-process-group-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MODULE = join(import.meta.dirname, 'process-group.ts');
// Prints its process id and the id of a child, like a server with worker processes.
const PARENT_AND_CHILD = ['sh', '-c', 'sleep 1000 & echo $$ $!; wait'];

function readPids(logFile: string): number[] {
  return readFileSync(logFile, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

function isAlive(pid: number): boolean {
  try {
    // A zombie process can still be signalled, so check its state instead.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

it('ends the program and its children on stop', async () => {
  const logFile = join(folder, 'stopped.log');
  const group = startProcessGroup(PARENT_AND_CHILD, { logFile, env: process.env });
  await group.waitUntilReady((log) => log.includes('\n'));
  expect(readPids(logFile).map(isAlive)).toEqual([true, true]);
  await group.stop();
  await vi.waitFor(() => expect(readPids(logFile).map(isAlive)).toEqual([false, false]), 10_000);
});

it('ends the program and its children when the parent process is killed', async () => {
  const logFile = join(folder, 'orphaned.log');
  const script = `const { startProcessGroup } = await import(${JSON.stringify(MODULE)});
    const group = startProcessGroup(${JSON.stringify(PARENT_AND_CHILD)}, { logFile: ${JSON.stringify(logFile)}, env: process.env });
    await group.waitUntilReady((log) => log.includes('\\n'));
    console.log('ready');
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script]);
  await once(owner.stdout, 'data');
  expect(readPids(logFile).map(isAlive)).toEqual([true, true]);
  owner.kill('SIGKILL');
  await vi.waitFor(() => expect(readPids(logFile).map(isAlive)).toEqual([false, false]), 10_000);
});

it('reports the log when the program exits before it is ready', async () => {
  const group = startProcessGroup(['sh', '-c', 'echo startup failed; exit 3'], {
    logFile: join(folder, 'failed.log'),
    env: process.env,
  });
  await expect(group.waitUntilReady(() => false)).rejects.toThrow('startup failed');
});
