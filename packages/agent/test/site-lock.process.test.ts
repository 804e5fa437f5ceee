import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchRoot } from '@steward/testkit/scratch-folder.ts';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';

const MODULE = new URL('../src/platforms/directory/site-lock.ts', import.meta.url).href;
const STALE = '4194311 12345\n';
const PROCESSES = 4;
const LOCKS = 300;

const folder = mkdtempSync(join(scratchRoot(), 'steward-lock-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Takes lock after lock, each at the same moment as the other processes. Prints the numbers of the locks that it got. */
const PROGRAM = `
  import { acquireLock } from ${JSON.stringify(MODULE)};
  process.setMaxListeners(0);
  process.stdout.write('ready\\n');
  const start = await new Promise((resolve) => process.stdin.once('data', (data) => resolve(Number(data))));
  const taken = [];
  for (let lock = 0; lock < ${LOCKS}; lock++) {
    while (Date.now() < start + lock);
    if (acquireLock(process.argv[1] + '/' + lock) === null) taken.push(lock);
  }
  process.stdout.write(JSON.stringify(taken) + '\\n');
  // Holds its locks until the test has the results of all processes.
  process.stdin.once('data', () => process.exit());
`;

function startProcess() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const lines: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (data) => lines.push(...data.trim().split('\n')));
  return { child, lines };
}

describe('the lock of a site', () => {
  it('has one holder if several processes find a stale lock at the same time', async () => {
    for (let lock = 0; lock < LOCKS; lock++) writeFileSync(join(folder, String(lock)), STALE);
    const processes = Array.from({ length: PROCESSES }, startProcess);
    const countLines = () => processes.map(({ lines }) => lines.length);
    await expect.poll(countLines).toEqual(processes.map(() => 1));
    for (const { child } of processes) child.stdin.write(String(Date.now() + 100));
    await expect.poll(countLines).toEqual(processes.map(() => 2));
    for (const { child } of processes) child.stdin.write('exit');
    const taken = processes.flatMap(({ lines }) => JSON.parse(lines[1] ?? '') as number[]);
    expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: LOCKS }, (_, i) => i));
    await Promise.all(
      processes.map(({ child }) => new Promise((resolve) => child.once('close', resolve))),
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});
