import { randomBytes } from 'node:crypto';
import { SERVICE_KEY_HEADER } from '@steward/contract';
import { buildSignatureHeaders } from '@steward/panel/site-client';
import { registerSecret } from '@steward/testkit/logs.ts';
import { type PanelClient, signInAt } from '@steward/testkit/panel/panel-client.ts';
import { type Bed, openBed } from '@steward/testkit/wordpress/bed.ts';
import { installSteward } from '@steward/testkit/wordpress/installed-steward.ts';
import {
  type LicensingPanel,
  startLicensingPanel,
  startPanelWithoutWorker,
} from '@steward/testkit/wordpress/licensed-site.ts';
import type { WordPressSite } from '@steward/testkit/wordpress/site.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findSiteId, startRun } from './support/panel-calls.ts';

const NEW_ADDRESS = 'https://moved.example.com/shop';
const UNREACHABLE = 'http://127.0.0.1:1';

let bed: Bed;
let panel: LicensingPanel;
let otherPanel: LicensingPanel;
let site: WordPressSite;
let owner: PanelClient;
let siteId: number;

beforeAll(async () => {
  [bed, panel, otherPanel] = await Promise.all([
    openBed(),
    startLicensingPanel(),
    startLicensingPanel(),
  ]);
  owner = await signInAt(panel.url, await panel.newUser('owner'));
  site = await bed.createSite();
  await installSteward(site);
  await site.changeSettings({ siteKeys: true });
  await connectTo(panel);
  siteId = await findSiteId(owner, site.url);
}, 180_000);
afterAll(async () => {
  await bed?.stop();
  await Promise.all([panel?.stop(), otherPanel?.stop()]);
});

/** Connects as the settings page does. */
async function connectTo({ url, licenseKey }: LicensingPanel): Promise<void> {
  const printed = await site.runPhp(`
    $result = Steward\\Panel\\License::connect( '${url}', '${licenseKey}' );
    $result = is_wp_error( $result ) ? $result : Steward\\Panel\\Check_In::run_after_connecting();
    echo is_wp_error( $result ) ? $result->get_error_message() : 'connected';`);
  expect(printed).toBe('connected');
  registerSecret(await readKey());
}

const readKey = async () => String(await site.getOption('service_license_key'));

const sync = async () =>
  (await startRun(owner, '/panel/sites/sync', { site_ids: [siteId] })).results[0];
const update = async () =>
  (await startRun(owner, '/remote/update', { site_ids: [siteId] })).results[0];

/** Sends a call as a program that is not the panel; returns status and code. */
async function send(
  { key = '', signer }: { key?: string; signer?: LicensingPanel },
  route = 'sync',
) {
  const nonce = { nonceFor: () => randomBytes(16).toString('hex') };
  const call = { siteUrl: site.url, path: `remote/${route}`, body: '{}' };
  const response = await fetch(`${site.url}/wp-json/service/v1/remote/${route}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key && { [SERVICE_KEY_HEADER]: key }),
      ...(signer && (await buildSignatureHeaders(call, { ...nonce, sign: signer.sign }))),
    },
    body: call.body,
  });
  const body = (await response.json()) as { code?: string };
  return [response.status, body.code, body] as const;
}

describe('a site whose address has changed', () => {
  const move = async () => {
    await site.setConstants({ WP_HOME: NEW_ADDRESS, WP_SITEURL: NEW_ADDRESS });
    onTestFinished(() => site.setConstants({}));
  };

  it('is called by its panel, and the result names both addresses and the next step', async () => {
    await move();
    for (const result of [await sync(), await update()]) {
      expect(result).toMatchObject({
        status: 'failed',
        code: 'site_address_changed',
        error: expect.stringMatching(
          `^The site was connected as ${site.url} and answers as ${NEW_ADDRESS} now\\. .*connect it again.*Settings → General`,
        ),
      });
    }
  });

  it('tells a stranger nothing, also one that knows the key', async () => {
    await move();
    const key = await readKey();
    for (const [caller, code] of [
      [{}, 'invalid_service_key'],
      [{ key: 'wrong' }, 'invalid_service_key'],
      [{ key }, 'invalid_signature'],
      [{ key, signer: otherPanel }, 'invalid_signature'],
    ] as const) {
      const [status, found, body] = await send(caller);
      expect([status, found]).toEqual([401, code]);
      expect(JSON.stringify(body)).not.toContain('moved');
    }
  });

  it('is managed again once its address is corrected', async () => {
    expect(await sync()).toMatchObject({ status: 'succeeded' });
  });
});

describe('a site that another panel has taken', () => {
  beforeAll(async () => {
    // The site cannot release its seat: otherwise the panel knows that it has left.
    await site.setOption('service_panel_url', UNREACHABLE);
    await connectTo(otherPanel);
  });

  it('says so to its former panel, without the address of the new one', async () => {
    for (const result of [await sync(), await update()]) {
      expect(result).toMatchObject({
        status: 'failed',
        code: 'site_connected_elsewhere',
        error: expect.stringMatching(/^This site is now connected to another panel\./),
      });
      expect(JSON.stringify(result)).not.toContain(new URL(otherPanel.url).port);
    }
  });

  it('also says so in a call without a key, and tells a stranger nothing', async () => {
    const stranger = await startPanelWithoutWorker();
    onTestFinished(() => stranger.stop());
    for (const [caller, route, expected] of [
      [{ signer: panel }, 'proof', [403, 'site_connected_elsewhere']],
      [{}, 'proof', [401, 'invalid_signature']],
      [{ signer: stranger }, 'proof', [401, 'invalid_signature']],
      [{ key: panel.licenseKey }, 'sync', [401, 'invalid_service_key']],
      [{ key: panel.licenseKey, signer: stranger }, 'sync', [401, 'invalid_service_key']],
    ] as const) {
      expect((await send(caller, route)).slice(0, 2)).toEqual(expected);
    }
  });

  it('forgets its former panel when it is connected to it again', async () => {
    await connectTo(panel);
    expect(await sync()).toMatchObject({ status: 'succeeded' });
    expect((await send({ signer: panel }, 'proof'))[1]).toBe('invalid_request');
  });
});
