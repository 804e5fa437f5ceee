import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import {
  createRestoreTarget,
  readAllTables,
  readSchema,
} from '@steward/testkit/panel/restored-database.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { OPERATOR, TEST_SECRET } from '@steward/testkit/panel/test-panel.ts';
import { RETURN_TO_REPLACED } from '@steward/testkit/postgres/undo-migrations.ts';
import { createInBatches, SHOP, startFleet } from '@steward/testkit/sites/site-fleet.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { expect, it, onTestFinished } from 'vitest';
import { listMigrations } from '../../src/platform/database/migrate.ts';
import { BASELINE, REPLACED_MIGRATIONS } from '../../src/platform/database/replaced-migrations.ts';

/** A restore adds records to the audit log. */
const GROWING_TABLES = ['audit_log', 'audit_chain'];
/** A backup leaves out the content of these tables: links, sessions, attempts, probes, and limits of a day. */
const EMPTY_TABLES = [
  'one_time_links',
  'package_links',
  'password_attempts',
  'plugin_links',
  'sessions',
  'site_daily_use',
  'site_probes',
  'verifications',
];

async function run(args: string[], env: NodeJS.ProcessEnv) {
  const { code, stdout, stderr } = await steward(args, env);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const SEQUENCES = `SELECT sequencename AS name, last_value FROM pg_sequences
  WHERE schemaname = 'public' AND sequencename NOT LIKE 'audit%' ORDER BY 1`;

it('restores a backup that was created while sites, users and runs wrote', {
  timeout: 400_000,
}, async () => {
  const source = await usePanelDatabase();
  const panel = await startPanel(source.env);
  const { license_key } = await source.newLicense({ siteLimit: 200 });
  const fleet = await startFleet(panel.url, license_key);
  onTestFinished(() => fleet.stop());
  const sites = await createInBatches(10, (index) => fleet.add(`s${index}`));
  const credentials = await source.newUser();
  const owner = await signInAt(panel.url, credentials);
  const tagged = await owner.post('/panel/sites/tags', { site_ids: [1, 2], add: ['shops'] });
  expect(tagged.status).toBe(200);
  const folder = temporaryFolder();

  // Writers of several kinds run from before the first backup until after it.
  let isStopped = false;
  let written = 0;
  const writers = [
    async () => void (await fleet.add(`new${written}`)),
    async () => void (await source.newLicense({ planName: `Plan ${written}` })),
    async () => void (await owner.post('/remote/update', { site_ids: [1 + (written % 10)] })),
  ].map(async (write) => {
    // A busy machine may refuse some.
    for (; !isStopped; written++) await write().catch(() => {});
  });
  await expect.poll(() => written).toBeGreaterThan(5);
  const during = join(folder, 'during.tar');
  await run(['backup', during], source.env);
  const afterBackup = written;
  await expect.poll(() => written).toBeGreaterThan(afterBackup);
  isStopped = true;
  await Promise.all(writers);

  // The backup shows one moment: the counts that triggers and services keep match the rows.
  const first = await createRestoreTarget();
  await run(['restore', during], first.env);
  const { rows: differences } = await first.pool.query(
    `SELECT l.id FROM licenses l WHERE counted_sites + uncounted_sites <>
       (SELECT count(*) FROM license_activations a WHERE a.license_id = l.id AND status = 'active')
     UNION ALL
     SELECT software_id FROM (
       SELECT software_id, version, sites FROM software_counts WHERE scope = 0
       EXCEPT SELECT software_id, version, count(*) FROM site_software GROUP BY 1, 2) different
     UNION ALL
     SELECT run_id FROM run_tasks LEFT JOIN runs ON runs.id = run_id WHERE runs.id IS NULL
     UNION ALL
     SELECT a.id FROM audit_log a
       LEFT JOIN audit_chain c ON c.record_id = a.id LEFT JOIN audit_unsealed u ON u.record_id = a.id
       WHERE c.seq IS NULL AND u.record_id IS NULL`,
  );
  expect(differences).toEqual([]);
  expect(await run(['audit', 'verify'], first.env)).toContain('no problems');

  // A stopped panel can be compared row by row.
  await panel.end('SIGTERM');
  const before = await readAllTables(source.pool);
  const sequences = (await source.pool.query(SEQUENCES)).rows;
  const complete = join(folder, 'complete.tar');
  await run(['backup', complete], source.env);
  const second = await createRestoreTarget();
  await second.pool.query("INSERT INTO panel_settings VALUES ('secret_check', 'another secret')");
  const output = await run(['restore', complete], second.env);
  expect(output).toContain(`Restored ${complete}`);

  const after = await readAllTables(second.pool);
  expect([...after.keys()]).toEqual([...before.keys()]);
  expect(before.get('sessions')?.length).toBeGreaterThan(0);
  for (const [table, rows] of before) {
    const restored = after.get(table) ?? [];
    if (EMPTY_TABLES.includes(table)) expect([table, restored]).toEqual([table, []]);
    else if (GROWING_TABLES.includes(table)) expect(restored).toEqual(expect.arrayContaining(rows));
    else expect([table, restored]).toEqual([table, rows]);
  }
  expect((await second.pool.query(SEQUENCES)).rows).toEqual(sequences);
  expect(await readSchema(second.pool)).toEqual(await readSchema(source.pool));

  // The restored panel takes the place of the lost one.
  const { port } = new URL(panel.url);
  const restored = await startPanel(second.env, undefined, ['--port', port]);
  await sites[0]?.agent.panelClient.check();
  await sites[1]?.agent.reportInventory();
  const again = await signInAt(restored.url, credentials);
  const { body } = await again.get('/panel/audit?entity_type=backup');
  expect(body.records.map(({ action }: { action: string }) => action)).toContain('restore');
  expect((await owner.get('/panel/sites')).status).toBe(401);
  const updated = await again.post('/remote/update', { site_ids: [1] });
  expect(updated.status).toBe(200);
  expect(await run(['audit', 'verify'], second.env)).toContain('no problems');
  // A new row gets a new id, also after rows were deleted before the backup.
  await expect(fleet.add('after-restore')).resolves.toBeTruthy();

  // Common tools open the file.
  expect(statSync(complete).mode & 0o777).toBe(0o600);
  execFileSync('tar', ['xf', complete, '-C', folder]);
  const rows = execFileSync('zcat', [join(folder, 'tables/users/00001.copy.gz')], {
    encoding: 'utf8',
  });
  expect(rows).toContain(credentials.email);

  // No key, token or password is readable in it.
  const text = execFileSync('sh', ['-c', 'zcat tables/*/*.gz'], {
    cwd: folder,
    encoding: 'latin1',
    maxBuffer: 512 * 1024 * 1024,
  });
  const { activation_token, service_license_key } = (await sites[0]?.options.read()) ?? {};
  const [, session] = /=([^.;%]{20,})/.exec(owner.cookie) ?? [];
  const secrets = [license_key, activation_token, service_license_key, session];
  for (const secret of [...secrets, credentials.password, TEST_SECRET]) {
    expect(secret?.length).toBeGreaterThan(10);
    expect(text.includes(secret ?? '')).toBe(false);
  }
});

it('continues unfinished runs, and reports the actual result of calls in flight', {
  timeout: 400_000,
}, async () => {
  const source = await usePanelDatabase();
  const limits = { SITE_CALLS_AT_ONCE: '2', SITE_CALLS_PER_ADDRESS: '2' };
  const panel = await startPanel({ ...source.env, ...limits });
  const { license_key } = await source.newLicense({ siteLimit: 4 });
  const fleet = await startFleet(panel.url, license_key);
  onTestFinished(() => fleet.stop());
  const sites = await createInBatches(4, (index) => fleet.add(`s${index}`));
  const gate = Promise.withResolvers<void>();
  for (const site of sites) site.gate.opens = gate.promise;
  const credentials = await source.newUser();
  const owner = await signInAt(panel.url, credentials);
  const started = await owner.post(
    '/remote/update',
    { site_ids: [1, 2, 3, 4] },
    { headers: { prefer: 'respond-async' } },
  );
  await expect.poll(() => fleet.inFlight.now).toBe(2);
  const file = join(temporaryFolder(), 'running.tar');
  await run(['backup', file], source.env);
  await panel.end('SIGKILL');
  gate.resolve();

  const target = await createRestoreTarget();
  expect(await run(['restore', file], target.env)).toContain('Unfinished runs: 1.');
  const { port } = new URL(panel.url);
  const env = { ...target.env, ...limits, WORKER_LEASE_SECONDS: '10' };
  const restored = await startPanel(env, undefined, ['--port', port]);
  const again = await signInAt(restored.url, credentials);
  const readRun = async () => (await again.get(`/panel/runs/${started.body.run_id}`)).body;
  await expect
    .poll(async () => (await readRun()).status, { timeout: 180_000, interval: 500 })
    .toBe('finished');
  const { results } = await readRun();
  expect(results.map(({ status }: { status: string }) => status)).toEqual(
    sites.map(({ state }) => (state.plugins[SHOP]?.version === '2.0' ? 'succeeded' : 'failed')),
  );
  for (const site of sites) {
    expect(site.calls.filter((call) => call === 'update').length).toBeLessThanOrEqual(1);
  }
});

it('restores a backup from before the baseline and migrates it', async () => {
  const source = await usePanelDatabase();
  const { license_key } = await source.newLicense();
  const user = await source.newUser();
  await source.executeAsTableOwner(RETURN_TO_REPLACED.join(';\n'));
  const file = join(temporaryFolder(), 'older.tar');
  const { migrations } = await readManifest(file, () => run(['backup', file], source.env));
  expect(migrations).toEqual([...REPLACED_MIGRATIONS, BASELINE]);

  const upToDate = await createRestoreTarget();
  const schema = (await readSchema(upToDate.pool)).filter(isNoPartition);
  for (const empty of [false, true]) {
    const target = await createRestoreTarget({ empty });
    await target.executeAsTableOwner('CREATE TABLE notes (text text)');
    await run(['restore', file], target.env);
    const { rows } = await target.pool.query('SELECT name FROM kysely_migration ORDER BY name');
    expect(rows.map(({ name }) => name)).toEqual([
      ...REPLACED_MIGRATIONS,
      ...(await listMigrations()),
    ]);
    await target.executeAsTableOwner('ALTER TABLE notes SET SCHEMA pgboss');
    expect((await readSchema(target.pool)).filter(isNoPartition)).toEqual(schema);
    expect((await target.pool.query('SELECT email FROM users')).rows).toEqual([
      { email: user.email },
    ]);
    expect((await target.pool.query('SELECT count(*) FROM pgboss.notes')).rows).toEqual([
      { count: 0 },
    ]);
    const found = await steward(['license', 'find', '--key-stdin'], target.env, license_key);
    expect(found.code).toBe(0);
    expect(await run(['audit', 'verify'], target.env)).toContain('no problems');
  }
});

it('refuses a backup of a database that ends before the baseline, and names the commit to restore it with', async () => {
  const source = await usePanelDatabase();
  await source.executeAsTableOwner(RETURN_TO_REPLACED.join(';\n'));
  await source.executeAsTableOwner(
    "DELETE FROM kysely_migration WHERE name > '0040_audit_partitions'",
  );
  const file = join(temporaryFolder(), 'oldest.tar');
  await run(['backup', file], source.env);
  const target = await createRestoreTarget();
  for (const args of [
    ['restore', file],
    ['backup', '--verify', file],
  ]) {
    const { code, stderr } = await steward(args, target.env);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /oldest\.tar has the migrations up to 0040_audit_partitions\..* commit 5646c365 .* npx steward restore/,
      ),
    ]);
  }
});

/** Restored partitions have indexes with other names. */
const isNoPartition = (line: string) => !/audit_log_(first|default|\d)/.test(line);

async function readManifest(file: string, create: () => Promise<unknown>) {
  await create();
  const text = execFileSync('tar', ['xOf', file, 'manifest.json'], { encoding: 'utf8' });
  return JSON.parse(text) as { migrations: string[] };
}

it('records who created a backup, and never replaces a file by itself', async () => {
  const source = await usePanelDatabase();
  await source.newUser();
  await source.services.licenses.create(
    { planName: 'Agency', siteLimit: 1, expiresAt: null, count: 1 },
    OPERATOR,
  );
  const file = join(temporaryFolder(), 'panel.tar');
  await run(['backup', file], source.env);
  const again = await steward(['backup', file], source.env);
  expect([again.code, again.stderr]).toEqual([
    1,
    `steward: ${file} exists. Choose another name, or replace the file with --force.\n`,
  ]);
  await run(['backup', file, '--force'], source.env);
  expect(await run(['backup', '--verify', file], source.env)).toContain('is complete');

  // The machine knows a newer head of the audit log than the backup. The restore records what is missing.
  await run(['license', 'create', '--plan', 'Later', '--site-limit', '1'], source.env);
  const target = await createRestoreTarget();
  const env = { ...target.env, DATA_DIR: source.dataDir };
  await run(['restore', file], env);
  expect(await run(['audit', 'verify'], env)).toContain('no problems');
  const [accepted] = JSON.parse(
    await run(['audit', 'list', '--action', 'accept_head', '--json'], env),
  ).records;
  expect(accepted.context).toMatchObject({
    problem: 'records_missing',
    reason: expect.stringContaining('Restored the backup of 20'),
  });

  const records = JSON.parse(
    await run(['audit', 'list', '--entity-type', 'backup', '--json'], source.env),
  ).records;
  expect(records).toMatchObject([
    { action: 'create', entity_id: 'panel.tar', actor: 'system' },
    { action: 'create', entity_id: 'panel.tar' },
  ]);
});
