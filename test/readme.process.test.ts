import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Returns the shell blocks below a heading of a page. */
function readBlocks(page: string, heading: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

describe('README', () => {
  it('contains the commands that CI and new users run', () => {
    expect(readBlocks('README.md', 'Run it')).toEqual(['npm ci && npm start\n']);
    expect(readBlocks('README.md', 'Test it')).toEqual(['npm ci && npm test\n']);
    const ci = readFileSync(join(ROOT, '.ci/run'), 'utf8');
    expect(ci).toContain('npm ci\nnpm test\n');
  });
});

describe('docs/protocol.md', () => {
  it('contains an example of the license service that works as printed', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'steward-readme-'));
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' };
    const panel = spawn('npm', ['start'], { cwd: ROOT, env, detached: true });
    const ended = new Promise<void>((resolve) => panel.once('exit', () => resolve()));
    onTestFinished(async () => {
      if (panel.exitCode === null && panel.pid) process.kill(-panel.pid, 'SIGKILL');
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    });
    const address = await new Promise<string>((resolve, reject) => {
      let printed = '';
      panel.stdout.on('data', (chunk) => {
        printed += chunk;
        const found = /running at (http:\S+)/.exec(printed)?.[1];
        if (found) resolve(found);
      });
      panel.stderr.on('data', (chunk) => {
        printed += chunk;
      });
      ended.then(() => reject(new Error(`npm start exited: ${printed}`)));
    });

    const script = readBlocks('docs/protocol.md', 'Try it')
      .join('\n')
      .replaceAll('http://localhost:8080', address);
    const ran = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: ROOT,
      env,
      encoding: 'utf8',
    });
    expect(ran.status).toBe(0);
    const responses = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(responses).toHaveLength(6);
    for (const response of responses) expect(response).toMatchObject({ success: true });
    expect(responses[1]).toMatchObject({ license: { sites_used: 1 } });
    expect(responses[4]).toMatchObject({ license: { sites_used: 0 } });
    expect(responses[5].services[0].slug).toBe('remote');

    // Like Ctrl+C: npm and the panel both receive the signal, and npm forwards it to the panel again.
    if (panel.pid) process.kill(-panel.pid, 'SIGINT');
    await ended;
    await expect
      .poll(() => existsSync(join(dataDir, 'postgres/postmaster.pid')), { timeout: 20_000 })
      .toBe(false);
    await expect
      .poll(() =>
        fetch(address).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed');
  });
});
