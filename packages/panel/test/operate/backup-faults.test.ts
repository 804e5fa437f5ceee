import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPanelDatabase, type PanelDatabase } from '@steward/testkit/panel/panel-database.ts';
import { createRestoreTarget } from '@steward/testkit/panel/restored-database.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { TEST_SECRET } from '@steward/testkit/panel/test-panel.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createSeal,
  MANIFEST_NAME,
  type Manifest,
  SEAL_NAME,
} from '../../src/features/backup/backup-format.ts';
import { openBackupWriter } from '../../src/features/backup/backup-writer.ts';
import { createSecrets } from '../../src/platform/secrets.ts';

const source = {} as PanelDatabase;
let content: Buffer;

beforeAll(async () => {
  Object.assign(source, await createPanelDatabase());
  await source.newUser();
  await source.newLicense();
});
afterAll(() => source.drop?.());

async function createFile(): Promise<string> {
  const file = join(temporaryFolder(), 'panel.tar');
  if (!content) {
    expect((await steward(['backup', file], source.env)).stderr).toBe('');
    content = readFileSync(file);
  }
  writeFileSync(file, content);
  return file;
}

const countUsers = async ({ pool }: Pick<PanelDatabase, 'pool'>) =>
  (await pool.query('SELECT count(*)::int AS users FROM users')).rows[0].users;

describe('steward restore refuses, before it connects to the database,', () => {
  /** Nothing listens here. */
  const env = { DATABASE_URL: 'postgres://localhost:1/none', SECRET_KEY: TEST_SECRET };
  const restore = async (file: string, settings: NodeJS.ProcessEnv = {}) => {
    const { code, stderr } = await steward(['restore', file], { ...env, ...settings });
    expect(code).toBe(1);
    return stderr;
  };

  it('a backup of a panel with another secret', async () => {
    const file = await createFile();
    const SECRET_KEY = 'another secret of thirty-two characters';
    expect(await restore(file, { SECRET_KEY })).toContain(
      'The secret does not match panel.tar. Set SECRET_KEY',
    );
    const dataDir = temporaryFolder();
    const without = await restore(file, { SECRET_KEY: '', DATA_DIR: dataDir });
    expect(without).toContain(`There is no secret in ${dataDir}.`);
    expect(readdirSync(dataDir)).toEqual([]);
    const verified = await steward(['backup', '--verify', file], { ...env, SECRET_KEY });
    expect(verified.stderr).toContain('The secret does not match');
  });

  it('a damaged file, wherever the damage is', async () => {
    const file = await createFile();
    const manifestAt = content.indexOf('"format"');
    const inHeader = content.indexOf('tables/users/');
    const inPart = inHeader + 512 + 20;
    const inSeal = content.lastIndexOf('"hmac"') - 20;
    for (const position of [manifestAt, inHeader, inPart, inSeal]) {
      const damaged = Buffer.from(content);
      damaged[position] = (damaged[position] ?? 0) ^ 1;
      writeFileSync(file, damaged);
      expect(await restore(file)).toMatch(/panel\.tar is (damaged|not a Steward backup)/);
    }
    for (const bytes of [0, 100, 700, content.length - 6000, content.length - 1100]) {
      writeFileSync(file, content.subarray(0, bytes));
      expect(await restore(file)).toMatch(/panel\.tar is (damaged|not a Steward backup)/);
    }
    expect(await restore(join(file, '../missing.tar'))).toContain('does not exist');
  });

  it('a file that was changed together with its checksums, and a backup of a newer version', async () => {
    const secrets = createSecrets(TEST_SECRET);
    const foreign = createSecrets('the secret of an attacker with a keyboard');
    const original = await createFile();
    const manifestAt = content.lastIndexOf('{\n  "format"');
    const manifest: Manifest = JSON.parse(
      content.toString('utf8', manifestAt, content.indexOf('\n}\n', manifestAt) + 3),
    );
    const write = async (changed: Partial<Manifest>, sealer: typeof secrets) => {
      const file = `${original}.changed`;
      const writer = await openBackupWriter(file, { now: new Date(), replaces: true });
      const text = Buffer.from(JSON.stringify({ ...manifest, ...changed }));
      await writer.add(MANIFEST_NAME, text);
      await writer.add(SEAL_NAME, createSeal(text, sealer));
      await writer.publish();
      return file;
    };
    expect(await restore(await write({ tables: [] }, foreign))).toContain(
      'was changed after it was created',
    );
    const migrations = [...manifest.migrations, '9999_future'];
    const newer = await write({ migrations, steward_version: '9.9.9' }, secrets);
    expect(await restore(newer)).toContain(
      'was created by a newer version of Steward (9.9.9). Install that version',
    );
    expect(await restore(await write({ format: 2 }, secrets))).toContain('newer version');
  });
});

describe('steward restore', () => {
  it('refuses a panel that is in use or running, and changes nothing', {
    timeout: 300_000,
  }, async () => {
    const file = await createFile();
    const used = await steward(['restore', file], {
      ...source.env,
      MIGRATION_DATABASE_URL: source.ownerUrl,
    });
    expect(used.stderr).toContain('The panel is not empty: it has users.');

    const target = await createRestoreTarget();
    const panel = await startPanel(target.env);
    await panel.setupLink();
    const running = await steward(['restore', file], target.env);
    expect(running.stderr).toContain('A panel is running on this database. Stop all');
    expect((await target.pool.query('SELECT FROM audit_log')).rowCount).toBe(1);

    // The role of the panel alone may not replace the audit log.
    await panel.end('SIGTERM');
    const { MIGRATION_DATABASE_URL: _, ...env } = target.env;
    const withoutOwner = await steward(['restore', file], env);
    expect(withoutOwner.stderr).toContain('Set MIGRATION_DATABASE_URL');
    expect(await countUsers(target)).toBe(0);

    // A panel that was only started is empty. Its own records make room for the restored ones.
    const restored = await steward(['restore', file], target.env);
    expect([restored.code, restored.stderr]).toEqual([0, '']);
    expect(await countUsers(target)).toBe(1);
  });

  it('asks for the owner role in a database without tables', async () => {
    const target = await createRestoreTarget({ empty: true });
    const { MIGRATION_DATABASE_URL: _, ...env } = target.env;
    const { code, stderr } = await steward(['restore', await createFile()], env);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Set MIGRATION_DATABASE_URL')]);
  });
});

describe('steward backup', () => {
  it('refuses a database with tables or migrations that it does not know', async () => {
    const { executeAsTableOwner, env } = source;
    const folder = temporaryFolder();
    const backUp = async () => (await steward(['backup', join(folder, 'panel.tar')], env)).stderr;
    await executeAsTableOwner('CREATE TABLE notes (text text); GRANT SELECT ON notes TO PUBLIC');
    expect(await backUp()).toContain('tables that are not part of Steward: notes.');
    await executeAsTableOwner('DROP TABLE notes');
    await executeAsTableOwner("INSERT INTO kysely_migration VALUES ('9999_future', '')");
    expect(await backUp()).toContain('belongs to a newer version of Steward');
    await executeAsTableOwner("DELETE FROM kysely_migration WHERE name = '9999_future'");
    expect(readdirSync(folder)).toEqual([]);
  });
});
