import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { steward as runSteward } from '@steward/testkit/panel/steward-command.ts';
import { newSiteUrl } from '@steward/testkit/panel/test-panel.ts';
import { useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it } from 'vitest';

describe('npx steward doctor', () => {
  const { env, steward, json, createLicense, activate, query } = useCommandLine();

  const setUsage = (id: number, counted: number) =>
    query('UPDATE licenses SET counted_sites = $2 WHERE id = $1', [id, counted]);

  it('finds no difference after activations', async () => {
    const { license_key } = await createLicense();
    await activate(license_key, newSiteUrl());
    await activate(license_key, 'https://dev.doctor.example.com');
    const { code, stdout, stderr } = await steward('doctor');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe('Usage verified: 1 license, no differences.\n');
  });

  it('prints one line per difference and exits with 1, and changes nothing', async () => {
    const { id, license_key } = await createLicense();
    await activate(license_key, newSiteUrl());
    await setUsage(id, 3);
    for (let time = 0; time < 2; time++) {
      const { code, stdout } = await steward('doctor');
      expect(code).toBe(1);
      expect(stdout.split('\n')).toEqual([
        `License ${id}: stored usage 3 counted and 0 uncounted, active sites 1 counted and 0 uncounted.`,
        'The usage of 1 of 2 licenses is wrong. To correct it, add --repair.',
        '',
      ]);
    }
    const { code, stdout } = await steward('doctor', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      licenses: 2,
      repaired: false,
      problems: [],
      differences: [
        {
          license_id: id,
          stored: { counted_sites: 3, uncounted_sites: 0 },
          actual: { counted_sites: 1, uncounted_sites: 0 },
        },
      ],
    });
    await setUsage(id, 1);
  });

  it('--repair stores the true count and writes an audit record', async () => {
    const { id, license_key } = await createLicense();
    await activate(license_key, newSiteUrl());
    await setUsage(id, 0);
    const { code, stdout } = await steward('doctor', '--repair');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^License \d+: stored usage 0 .*\nRepaired 1 of 3 licenses\.\n$/);
    expect(await json('doctor')).toMatchObject({ ok: true, licenses: 3, differences: [] });
    const { records } = await json('audit', 'list', '--action', 'repair_usage');
    expect(records).toMatchObject([
      {
        entity_type: 'license',
        entity_id: String(id),
        context: {
          before: { counted_sites: 0, uncounted_sites: 0 },
          after: { counted_sites: 1, uncounted_sites: 0 },
          via: 'command_line',
        },
      },
    ]);
    expect(await json('doctor', '--repair')).toMatchObject({ ok: true, differences: [] });
  });

  it('reports a backup folder that cannot be used, also with --repair', async () => {
    const folder = temporaryFolder();
    const check = (...args: string[]) =>
      runSteward(['doctor', ...args], { ...env, BACKUP_FOLDER: join(folder, 'missing') });
    const message = `Cannot write to BACKUP_FOLDER ${join(folder, 'missing')}. It does not exist.`;
    const { code, stdout } = await check('--repair');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Usage verified: .*\n/);
    expect(stdout).toContain(`\n${message}\n`);
    expect(JSON.parse((await check('--json')).stdout)).toMatchObject({
      ok: false,
      problems: [{ check: 'backup_folder', message }],
    });
    mkdirSync(join(folder, 'missing'));
    expect((await check()).code).toBe(0);
  });

  it('finds no difference while sites connect', async () => {
    const { license_key } = await createLicense('--site-limit', 'unlimited');
    let isDone = false;
    const connectSites = async () => {
      while (!isDone) await activate(license_key, newSiteUrl());
    };
    const connecting = [connectSites(), connectSites()];
    try {
      for (let time = 0; time < 5; time++) expect(await json('doctor')).toMatchObject({ ok: true });
    } finally {
      isDone = true;
      await Promise.all(connecting);
    }
  });
});
