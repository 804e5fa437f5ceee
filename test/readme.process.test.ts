import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The shell blocks below a heading. */
function blocksBelow(heading: string): string[] {
  const section = README.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

describe('README', () => {
  it('has the two commands that CI and newcomers run', () => {
    expect(blocksBelow('Run it')).toEqual(['npm ci && npm start\n']);
    expect(blocksBelow('Test it')).toEqual(['npm ci && npm test\n']);
    const ci = readFileSync(join(ROOT, '.ci/run'), 'utf8');
    expect(ci).toContain('npm ci\nnpm test\n');
  });

  it('has lines to try that work as printed', async () => {
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
      ended.then(() => reject(new Error(`npm start ended: ${printed}`)));
    });

    const script = blocksBelow('Try it').join('\n').replaceAll('http://localhost:8080', address);
    const ran = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: ROOT,
      env,
      encoding: 'utf8',
    });
    expect(ran.status).toBe(0);
    const answers = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers).toHaveLength(6);
    for (const answer of answers) expect(answer).toMatchObject({ success: true });
    expect(answers[1]).toMatchObject({ license: { sites_used: 1 } });
    expect(answers[4]).toMatchObject({ license: { sites_used: 0 } });
    expect(answers[5].services[0].slug).toBe('remote');

    // As Ctrl+C does: to npm and the panel at once, and npm passes it on to the panel once more.
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
