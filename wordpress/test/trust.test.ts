import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CALL_LOG_START,
  type CallLogReport,
  loggedCallText,
  SERVICE_KEY_HEADER,
} from '@steward/contract';
import { buildSignatureHeaders } from '@steward/panel/site-client';
import { registerSecret } from '@steward/testkit/logs.ts';
import { signInAt } from '@steward/testkit/panel/panel-client.ts';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { installSteward } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  type LicensingPanel,
  startLicensingPanel,
} from '@steward/testkit/wordpress/licensed-site.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSiteId, syncSite } from './support/panel-calls.ts';

/** A call as an attacker on the network sees it. */
type Call = { headers: Record<string, string>; body: string };

let bed: Bed;
let panel: LicensingPanel;
let owner: Awaited<ReturnType<typeof signInAt>>;
let a: ConnectedSite;
let b: ConnectedSite;

beforeAll(async () => {
  [bed, panel] = await Promise.all([openBed(), startLicensingPanel()]);
  owner = await signInAt(panel.url, await panel.newUser('owner'));
  [a, b] = await Promise.all([createConnectedSite(), createConnectedSite()]);
}, 180_000);
afterAll(async () => {
  await bed?.stop();
  await panel?.stop();
});

type ConnectedSite = Awaited<ReturnType<typeof createConnectedSite>>;

/** Creates a WordPress that connects as its settings page does. `lastCall` returns the last sync call it received. */
async function createConnectedSite() {
  const site = await bed.createSite();
  await installSteward(site);
  await site.changeSettings({ siteKeys: true });
  const callFile = join(site.folder, 'calls.json');
  await writeFile(
    join(site.root, 'wp-content/mu-plugins/a-listener.php'),
    `<?php
    if ( 'POST' === $_SERVER['REQUEST_METHOD'] && strpos( $_SERVER['REQUEST_URI'], 'remote/sync' ) ) {
      $headers = array_filter( $_SERVER, function ( $name ) { return 0 === strpos( $name, 'HTTP_X_SERVICE' ); }, ARRAY_FILTER_USE_KEY );
      file_put_contents( '${callFile}', json_encode( array( 'headers' => $headers, 'body' => file_get_contents( 'php://input' ) ) ) );
    }`,
  );
  await connect(site);
  const key = await readKey(site);
  return {
    ...site,
    key,
    siteId: await findSiteId(owner, site.url),
    lastCall: () => readCall(callFile),
  };
}

async function connect(site: WordPressSite): Promise<void> {
  const printed = await site.runPhp(`
    $result = Steward\\Panel\\License::connect( '${panel.url}', '${panel.licenseKey}' );
    $result = is_wp_error( $result ) ? $result : Steward\\Panel\\Check_In::run_after_connecting();
    echo is_wp_error( $result ) ? $result->get_error_message() : 'connected';`);
  expect(printed).toBe('connected');
  registerSecret(await readKey(site));
}

const readKey = async (site: WordPressSite) => String(await site.getOption('service_license_key'));

async function readCall(file: string): Promise<Call> {
  const { headers, body } = JSON.parse(await readFile(file, 'utf8')) as Call;
  const names = Object.entries(headers).map(([name, value]) => [
    name.replace('HTTP_', '').replaceAll('_', '-'),
    value,
  ]);
  return { headers: Object.fromEntries(names), body };
}

/** Returns status and error code. */
async function send(site: WordPressSite, { headers, body }: Call, route = 'sync') {
  const response = await fetch(`${site.url}/wp-json/service/v1/remote/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const payload = (await response.json()) as { code?: string };
  return [response.status, payload.code];
}

describe('two sites of one license', () => {
  it('have their own site keys and do not store the license key', async () => {
    for (const { key } of [a, b]) expect(key).toMatch(/^STWS-/);
    expect(a.key).not.toBe(b.key);
    for (const site of [a, b]) {
      const options = await site.query(
        `SELECT COUNT(*) AS found FROM wp_options WHERE option_value LIKE '%${panel.licenseKey}%'`,
      );
      expect(JSON.stringify(options)).toMatch(/0/);
    }
  });

  it('accept calls of the panel and refuse replays of a recorded call', async () => {
    expect((await syncSite(owner, a.siteId)).results).toMatchObject([{ status: 'succeeded' }]);
    const call = await a.lastCall();
    expect(call.headers).toHaveProperty('X-SERVICE-KEY', a.key);
    expect(await send(a, call)).toEqual([401, 'invalid_signature']);
    expect(await send(b, call)).toEqual([401, 'invalid_service_key']);
    const withKeyOfB = { ...call.headers, 'X-SERVICE-KEY': b.key };
    expect(await send(b, { ...call, headers: withKeyOfB })).toEqual([401, 'invalid_signature']);
    expect(await send(a, call, 'update')).toEqual([401, 'invalid_signature']);
  });

  it('refuse calls without a signature and calls with the license key', async () => {
    const body = JSON.stringify({ action: 'delete', plugin: 'hello.php' });
    const alone = { headers: { [SERVICE_KEY_HEADER]: a.key }, body };
    expect(await send(a, alone, 'plugin-action')).toEqual([401, 'invalid_signature']);
    const license = { headers: { [SERVICE_KEY_HEADER]: panel.licenseKey }, body };
    expect(await send(b, license, 'plugin-action')).toEqual([401, 'invalid_service_key']);
    for (const route of ['proof', 'check']) {
      expect(await send(a, { headers: {}, body: '{}' }, route)).toEqual([401, 'invalid_signature']);
    }
  });

  it('accept unsigned calls only while enabled, and report the setting to the panel', async () => {
    const accepts = async () =>
      (
        await owner.ask<{ site: { accepts_unsigned_calls: boolean } }>(
          'GET',
          `/panel/sites/${a.siteId}`,
        )
      ).site.accepts_unsigned_calls;
    const setUnsignedCalls = (on: boolean) =>
      a.runPhp(`update_option( 'steward_accept_unsigned', '${on ? 1 : ''}' );
        echo true === Steward\\Panel\\License::report_inventory() ? 1 : 0;`);
    const keyAlone = { headers: { [SERVICE_KEY_HEADER]: a.key }, body: '{}' };
    expect(await setUnsignedCalls(true)).toBe('1');
    expect(await accepts()).toBe(true);
    expect(await send(a, keyAlone)).toEqual([200, undefined]);
    const wrong = { ...keyAlone.headers, 'X-Service-Signature': 'wrong' };
    expect(await send(a, { ...keyAlone, headers: wrong })).toEqual([401, 'invalid_signature']);
    for (const route of ['proof', 'check']) {
      expect(await send(a, keyAlone, route)).toEqual([401, 'invalid_signature']);
    }
    expect((await syncSite(owner, a.siteId)).results).toMatchObject([{ status: 'succeeded' }]);
    expect(await setUnsignedCalls(false)).toBe('1');
    expect(await accepts()).toBe(false);
    expect(await send(a, keyAlone)).toEqual([401, 'invalid_signature']);
  });

  it('delete expired nonces', async () => {
    await a.query(
      "UPDATE wp_options SET option_value = '1' WHERE option_name LIKE 'steward_nonce_%'",
    );
    await syncSite(owner, a.siteId);
    const left = await a.query(
      "SELECT option_value FROM wp_options WHERE option_name LIKE 'steward_nonce_%'",
    );
    expect(JSON.stringify(left)).not.toContain('"1"');
  });
});

describe('call log', () => {
  const update = (siteId: number) =>
    owner.ask<{ results: { status: string }[] }>(
      'POST',
      '/remote/update',
      { site_ids: [siteId] },
      { headers: { prefer: 'wait=60' } },
    );
  const readAlarm = async (siteId: number) =>
    (await owner.ask<{ site: { alarm: object | null } }>('GET', `/panel/sites/${siteId}`)).site
      .alarm;
  const readLog = async (site: WordPressSite, after = 0): Promise<CallLogReport> =>
    JSON.parse(
      await site.runPhp(
        `echo json_encode( Steward\\Watchdog\\Call_Log::build_report( ${after} ) );`,
      ),
    );

  it('raises no alarm for calls of the panel', async () => {
    for (let call = 0; call < 2; call++) {
      expect((await update(a.siteId)).results).toMatchObject([{ status: 'succeeded' }]);
    }
    await syncSite(owner, a.siteId);
    const { head, entries } = await readLog(a);
    expect(entries.map(({ route }) => route)).toEqual(Array(2).fill('/service/v1/remote/update'));
    const { call_log_sequence, call_log_hash } = await panel.siteRow(a.siteId);
    expect({ sequence: call_log_sequence, hash: call_log_hash?.toString('hex') }).toEqual(head);
    expect(await readAlarm(a.siteId)).toBeNull();
  });

  it('raises an alarm for a call that the panel did not make', async () => {
    const call = { siteUrl: a.url, path: 'remote/update', body: '{}' };
    const thief = { sign: panel.sign, nonceFor: () => randomBytes(16).toString('hex') };
    const headers = { ...(await buildSignatureHeaders(call, thief)), [SERVICE_KEY_HEADER]: a.key };
    expect(await send(a, { headers, body: '{}' }, 'update')).toEqual([200, undefined]);
    const alarm = { kind: 'foreign_call', route: '/service/v1/remote/update' };
    expect(await readAlarm(a.siteId)).toMatchObject(alarm);
    await update(a.siteId);
    expect(await readAlarm(a.siteId)).toMatchObject(alarm);
    await owner.ask('DELETE', `/panel/sites/${a.siteId}/alarm`);
    await update(a.siteId);
    expect(await readAlarm(a.siteId)).toBeNull();
  });

  it('does not fork, is bounded and is reported in parts', async () => {
    const add = `for ( $n = 0; $n < 120; $n++ ) { Steward\\Watchdog\\Call_Log::add( '/service/v1/remote/update', '{}' ) || die( 'not added' ); }`;
    const { head: before } = await readLog(b);
    await Promise.all([1, 2].map(async () => expect(await b.runPhp(add)).toBe('')));
    const { head } = await readLog(b);
    expect([before, head.sequence]).toEqual([{ sequence: 0, hash: CALL_LOG_START }, 240]);
    const first = (await readLog(b)).entries[0];
    expect(first?.sequence).toBe(41);
    let [position, previous] = [41, first?.hash ?? ''];
    while (position < head.sequence) {
      const { entries } = await readLog(b, position);
      for (const { hash, ...entry } of entries) {
        expect([entry.sequence, entry.nonce]).toEqual([++position, null]);
        const text = loggedCallText(previous, entry);
        previous = createHash('sha256').update(text).digest('hex');
        expect(hash).toBe(previous);
      }
    }
    expect(previous).toBe(head.hash);
  });
});

it('a site connected before site keys existed gets one automatically', async () => {
  const site = await bed.createSite();
  await installSteward(site);
  await connect(site);
  expect(await readKey(site)).toBe(panel.licenseKey);
  await site.changeSettings({ siteKeys: true });
  expect(await site.runPhp('echo Steward\\Panel\\License::check() > 0 ? 1 : 0;')).toBe('1');
  expect(await readKey(site)).toMatch(/^STWS-/);
});

it('a new installation at the same address connects again, and the old key is invalid', async () => {
  const before = b.key;
  await b.query(
    "DELETE FROM wp_options WHERE option_name LIKE 'service_%' OR option_name LIKE 'steward_%'",
  );
  await connect(b);
  expect(await readKey(b)).not.toBe(before);
  const { status } = await panel.post('/api/v1/license/check', {
    license_key: before,
    site_url: b.url,
    cms_version: '6.1',
    php_version: '8.2',
    plugin_version: '0.1.0',
  });
  expect(status).toBe(401);
  expect((await syncSite(owner, b.siteId)).results).toMatchObject([{ status: 'succeeded' }]);
  const { call_log_sequence, alarm } = await panel.siteRow(b.siteId);
  expect({ call_log_sequence, alarm }).toEqual({ call_log_sequence: 0, alarm: null });
});

it('a revoked license disables Remote on its sites before their next check-in', async () => {
  await panel.license('revoke', String(panel.licenseId));
  for (const site of [a, b]) {
    await expect
      .poll(async () => JSON.stringify(await site.getOption('steward_state')))
      .toMatch(/license_revoked/);
    expect(await site.runPhp("echo Steward\\Connection::is_remote_enabled() ? 'on' : 'off';")).toBe(
      'off',
    );
  }
});

it('deleting the plugin removes nonces, the call log and the saved versions', async () => {
  const kept = () =>
    b.query(
      "SELECT option_name FROM wp_options WHERE option_name LIKE 'steward_call_%' OR option_name LIKE 'steward_nonce_%'",
    );
  await b.runPhp("Steward\\Watchdog\\Call_Log::add( '/service/v1/remote/update', '{}' );");
  expect(await kept()).not.toEqual([]);
  const saved = `steward-saved-${'a'.repeat(32)}`;
  await b.setOption('steward_saved_folder', saved);
  await mkdir(join(b.root, 'wp-content', saved, 'files'), { recursive: true });
  await b.runPhp(
    "define( 'WP_UNINSTALL_PLUGIN', 'steward/steward.php' ); require WP_PLUGIN_DIR . '/steward/uninstall.php';",
  );
  expect(await kept()).toEqual([]);
  expect(await b.getOption('steward_saved_folder')).toBeUndefined();
  expect(existsSync(join(b.root, 'wp-content', saved))).toBe(false);
});
