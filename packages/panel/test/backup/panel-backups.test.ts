import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CONFIRMATION_MINUTES } from '@steward/contract';
import { testLogger } from '@steward/testkit/logs.ts';
import { newSignedInUser, type Person } from '@steward/testkit/panel/signed-in-user.ts';
import { useTestPanel } from '@steward/testkit/panel/test-panel.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createPanelBackups,
  createScheduledBackups,
  verifyBackup,
} from '../../src/features/backup/index.ts';
import { holdBackupLock } from '../../src/platform/database/panel-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'steward-backups-'));
afterAll(() => rmSync(folder, { recursive: true }));
const panel = useTestPanel({ backups: { folder, everyHours: 24, keep: 2 } });
const clock = { now: () => panel.fakes.now };
let owner: Person;
beforeAll(async () => {
  owner = await newSignedInUser(panel);
});

const scheduled = (into = folder, backups = panel.services.backups) =>
  createScheduledBackups(
    { ...panel, ...panel.services, backups, log: testLogger(), clock },
    { folder: into, everyHours: 24, keep: 2 },
  );
const passMinutes = (minutes: number) => {
  panel.fakes.now = new Date(panel.fakes.now.getTime() + minutes * 60_000);
};
const view = async () => (await owner.get('/panel/backups')).body.backups;
const request = () => owner.post('/panel/backups');
const confirm = () => owner.ask('POST', '/auth/confirm', { password: owner.password });
const tars = (of = folder) => readdirSync(of).filter((name) => name.startsWith('steward-'));
const recordsOf = (action: string) =>
  panel.db
    .selectFrom('audit_log')
    .select(['actor', 'entity_id', 'context'])
    .where('entity_type', '=', 'backup')
    .where('action', '=', action)
    .orderBy('id')
    .execute();

describe('a requested backup', () => {
  it('is created once for two requests, read back, and recorded with the owner', async () => {
    expect(await view()).toEqual({
      folder,
      every_hours: 24,
      kept: 2,
      folder_problem: null,
      activity: 'idle',
      last: null,
      files: [],
    });
    const [first, second] = await Promise.all([request(), request()]);
    expect([first.body.backups.activity, second.body.backups.activity]).toEqual([
      'queued',
      'queued',
    ]);
    await scheduled().runRequested();
    await scheduled().runRequested();
    const { activity, last, files } = await view();
    expect(activity).toBe('idle');
    expect(files).toEqual([
      {
        name: expect.stringMatching(/^steward-[0-9a-f]{8}-20260601T120000Z-requested\.tar$/),
        bytes: last.bytes,
        kind: 'requested',
        created_at: '2026-06-01T12:00:00.000Z',
      },
    ]);
    expect(last).toMatchObject({
      succeeded: true,
      reason: null,
      file: join(folder, files[0].name),
    });
    await verifyBackup(last.file, panel.secrets);
    expect(await recordsOf('create')).toMatchObject([
      { actor: String(owner.id), entity_id: files[0].name },
    ]);
  });

  it('neither delays nor pushes out scheduled ones; the newest three are kept', async () => {
    await scheduled().runIfDue();
    const before = tars().filter((name) => !name.includes('requested'));
    expect(before).toHaveLength(1);
    for (let count = 0; count < 4; count++) {
      passMinutes(1);
      await request();
      await scheduled().runRequested();
    }
    const requested = tars().filter((name) => name.includes('requested'));
    expect(requested).toHaveLength(3);
    expect(tars().filter((name) => !requested.includes(name))).toEqual(before);
    passMinutes(24 * 60);
    await scheduled().runIfDue();
    expect(tars().filter((name) => !name.includes('requested'))).toHaveLength(2);
  });

  it('that fails says why, and the next request works', async () => {
    const missing = join(temporaryFolder(), 'unmounted');
    passMinutes(1);
    await request();
    await scheduled(missing).runRequested();
    const { activity, last } = await view();
    expect({ activity, last }).toMatchObject({
      activity: 'idle',
      last: { succeeded: false, file: null, reason: expect.stringContaining('It does not exist') },
    });
    expect(await recordsOf('fail')).toMatchObject([{ actor: String(owner.id) }]);
    passMinutes(1);
    await request();
    await scheduled().runRequested();
    expect((await view()).last.succeeded).toBe(true);
  });

  it('that cannot be read back is a failure and leaves no file', async () => {
    const into = temporaryFolder();
    const create = async (path: string) => {
      writeFileSync(path, 'not a backup');
      return { file: path, bytes: 12, created_at: '', steward_version: '', tables: 0, rows: 0 };
    };
    passMinutes(1);
    await request();
    await scheduled(into, { create }).runRequested();
    expect((await view()).last).toMatchObject({
      succeeded: false,
      reason: expect.stringContaining('could not be read back'),
    });
    expect(readdirSync(into)).toEqual([]);
  });

  it('is taken over after a kill, but not more than three times', async () => {
    passMinutes(1);
    await request();
    const killed = scheduled(folder, { create: () => new Promise(() => {}) });
    for (let count = 0; count < 3; count++) {
      void killed.runRequested();
      await expect.poll(readAttempts).toBe(count + 1);
      expect((await view()).activity).toBe('running');
      passMinutes(1);
      expect((await view()).activity).toBe('queued');
    }
    await scheduled().runRequested();
    expect(await view()).toMatchObject({
      activity: 'idle',
      last: { succeeded: false, reason: expect.stringContaining('each of 3 attempts') },
    });
    passMinutes(1);
    await request();
    void killed.runRequested();
    await expect.poll(readAttempts).toBe(1);
    await scheduled().runRequested();
    expect((await view()).last.succeeded).toBe(true);
  });

  it('of a worker that stops waits for another one, and an attempt is not counted', async () => {
    passMinutes(1);
    await request();
    await scheduled().runRequested(AbortSignal.abort());
    expect(await readAttempts()).toBe(0);
    await scheduled().runRequested();
    expect((await view()).last.succeeded).toBe(true);
  });

  it('is running while its connection lives, and without a worker says so', async () => {
    const client = await panel.pool.connect();
    await client.query('BEGIN');
    await holdBackupLock(client);
    expect((await view()).activity).toBe('running');
    client.release(true);
    await expect.poll(async () => (await view()).activity).toBe('idle');
    await request();
    passMinutes(4);
    expect((await view()).activity).toBe('no_worker');
    await scheduled().runRequested();
    expect((await view()).activity).toBe('idle');
  });

  const readAttempts = async () => {
    const { rows } = await panel.pool.query(
      `SELECT value FROM panel_settings WHERE name = 'requested_backup'`,
    );
    return JSON.parse(rows[0].value).attempts;
  };
});

describe('a download', () => {
  const download = (name: string, options = {}) =>
    owner.post(`/panel/backups/${encodeURIComponent(name)}/download`, {}, options);
  const check = (name: string) => owner.get(`/panel/backups/${encodeURIComponent(name)}`);

  it('is the file, is not stored, and is recorded', async () => {
    await confirm();
    const [newest] = (await view()).files;
    expect((await check(newest.name)).status).toBe(200);
    const { csrfToken, cookie } = owner;
    const response = await panel.app.inject({
      method: 'POST',
      url: `/panel/backups/${newest.name}/download`,
      headers: {
        cookie,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
      payload: new URLSearchParams({ csrf_token: csrfToken }).toString(),
    });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'application/x-tar',
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="${newest.name}"`,
      'content-length': String(newest.bytes),
    });
    const path = join(temporaryFolder(), 'downloaded.tar');
    writeFileSync(path, response.rawPayload);
    await verifyBackup(path, panel.secrets);
    expect(await recordsOf('download')).toMatchObject([
      { actor: String(owner.id), entity_id: newest.name, context: { bytes: newest.bytes } },
    ]);
  });

  it('needs a confirmation after the sign-in', async () => {
    const { name } = (await view()).files[0];
    const other = await newSignedInUser(panel);
    const refused = { status: 403, body: { code: 'confirmation_required' } };
    expect(await other.post(`/panel/backups/${name}/download`, {})).toMatchObject(refused);
    expect(await other.get(`/panel/backups/${name}`)).toMatchObject(refused);
    await confirm();
    passMinutes(CONFIRMATION_MINUTES + 1);
    expect(await download(name)).toMatchObject(refused);
    expect(await recordsOf('download')).toHaveLength(1);
    await confirm();
  });

  it('gives no other file, whatever the name or the folder contains', async () => {
    writeFileSync(join(folder, 'secret.key'), 'secret');
    const [{ name }] = (await view()).files;
    const link = name.replace('2026', '2027');
    symlinkSync(join(folder, 'secret.key'), join(folder, link));
    const directory = name.replace('2026', '2028');
    mkdirSync(join(folder, directory));
    for (const each of ['secret.key', '../secret.key', `x/../${name}`, `${name}\0`, '.', '..']) {
      expect((await download(each)).status, each).toBe(404);
    }
    expect((await download(link)).body.code).toBe('backup_unreadable');
    expect((await check(link)).body.code).toBe('backup_unreadable');
    expect((await download(directory)).body.code).toBe('backup_unreadable');
    const damaged = name.replace('2026', '2029');
    writeFileSync(join(folder, damaged), 'cut off');
    expect((await check(damaged)).body).toMatchObject({
      code: 'backup_unreadable',
      error: expect.stringContaining('is not a Steward backup'),
    });
  });

  it('and requests are refused to managers and to pages of other sites', async () => {
    const { name } = (await view()).files.at(-1);
    const manager = await newSignedInUser(panel, 'manager');
    await manager.ask('POST', '/auth/confirm', { password: manager.password });
    for (const response of [
      await manager.get('/panel/backups'),
      await manager.post('/panel/backups'),
      await manager.post(`/panel/backups/${name}/download`, {}),
    ]) {
      expect(response).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    }
    const { cookie, csrfToken } = owner;
    const foreign = await panel.app.inject({
      method: 'POST',
      url: `/panel/backups/${name}/download`,
      headers: {
        cookie,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
      },
      payload: new URLSearchParams({ csrf_token: csrfToken }).toString(),
    });
    expect(foreign.json().code).toBe('cross_site_request');
  });
});

describe('without BACKUP_FOLDER', () => {
  const other = useTestPanel();

  it('a request says which setting and which command help', async () => {
    const person = await newSignedInUser(other);
    expect((await person.get('/panel/backups')).body.backups).toMatchObject({
      folder: null,
      files: [],
    });
    expect(await person.post('/panel/backups')).toMatchObject({
      status: 409,
      body: {
        code: 'backups_not_configured',
        error: expect.stringContaining('npx steward backup'),
      },
    });
  });
});

it('a folder that cannot be read is a problem, not an error', async () => {
  const gone = join(temporaryFolder(), basename(folder));
  const backups = createPanelBackups(
    { ...panel.services, db: panel.db, secrets: panel.secrets, clock },
    { backups: { folder: gone, everyHours: 24, keep: 2 } },
  );
  expect(await backups.view()).toMatchObject({
    files: [],
    folder_problem: `Cannot read BACKUP_FOLDER ${gone}. It does not exist.`,
  });
});
