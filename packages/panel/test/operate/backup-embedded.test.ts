import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { useEmbeddedDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { expect, it } from 'vitest';

it('moves a panel with the embedded database to another machine', {
  timeout: 300_000,
}, async () => {
  const source = useEmbeddedDatabase();
  const credentials = await source.newUser();
  const panel = await startPanel(source.env);
  await signInAt(panel.url, credentials);
  const file = join(temporaryFolder(), 'panel.tar');
  const created = await steward(['backup', file], source.env);
  expect([created.code, created.stderr]).toEqual([0, '']);
  await signInAt(panel.url, credentials);

  const DATA_DIR = join(temporaryFolder(), 'data');
  const env = { ...source.env, DATA_DIR };
  const without = await steward(['restore', file], env);
  expect(without.stderr).toContain(`There is no secret in ${DATA_DIR}.`);
  mkdirSync(DATA_DIR);
  copyFileSync(join(source.dataDir, 'secret.key'), join(DATA_DIR, 'secret.key'));
  const restored = await steward(['restore', file], env);
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  expect(restored.stdout).toContain('All users have to sign in again.');
  const other = await startPanel(env);
  await signInAt(other.url, credentials);
  const verified = await steward(['audit', 'verify'], env);
  expect(verified.stdout).toContain('no problems');
});
