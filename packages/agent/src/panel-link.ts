import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ActivateResponse,
  CheckResponse,
  DeactivateResponse,
  type Environment,
  type Inventory,
  isSiteKey,
  type License,
  LicenseErrorBody,
  SITE_API_PREFIX,
} from '@steward/contract';
import type { Static, TSchema } from 'typebox';
import Value from 'typebox/value';
import { callLogReport } from './call-log.ts';
import { isFollowedBy } from './call-signature.ts';
import { NO_OPTIONS, type OptionsStore } from './site-options.ts';

/** What a site says to its panel. */
export type PanelLink = {
  /** Connects the site: takes a slot of the license and keeps what the panel gave. */
  activate(panelUrl: string, licenseKey: string): Promise<void>;
  deactivate(): Promise<void>;
  /** Gives the seconds after which the panel wants to be asked again. */
  check(): Promise<number>;
  verify(inventory: Inventory): Promise<void>;
};

export type SiteIdentity = {
  siteUrl: string;
  environment: Environment;
  acceptsUnsignedCalls: boolean;
  versions(): Promise<{ cms_version: string; php_version: string; plugin_version: string }>;
};

/** The panel gave no verdict: unreachable, overloaded, or at fault itself. */
export class PanelUnavailable extends Error {
  override readonly name = 'PanelUnavailable';
}

/** The panel said no. */
export class PanelRefused extends Error {
  override readonly name = 'PanelRefused';
  readonly code: string;
  /** How the license stands, if the panel has said so. */
  readonly license: License | undefined;
  constructor(code: string, message: string, license?: License) {
    super(message);
    this.code = code;
    this.license = license;
  }
}

const TIMEOUT_MS = 30_000;
const CAPABILITIES = ['site_key', 'signed_calls', 'call_log'];
/** The panel calls back within seconds, or not at all. */
const PROOF_SECONDS = 10;

type Dependencies = {
  site: SiteIdentity;
  options: OptionsStore;
  now(): Date;
};

export function createPanelLink({ site, options, now }: Dependencies): PanelLink {
  type Connection = { panelUrl: string; licenseKey: string; token: string | null };

  async function connection(): Promise<Connection> {
    const { service_panel_url, service_license_key, activation_token } = await options.read();
    if (!service_panel_url || !service_license_key) {
      throw new PanelRefused('not_connected', 'This site is not connected to a panel.');
    }
    return {
      panelUrl: service_panel_url,
      licenseKey: service_license_key,
      token: activation_token,
    };
  }

  async function call<Schema extends TSchema>(
    { panelUrl, licenseKey, token }: Connection,
    path: string,
    body: object,
    schema: Schema,
  ): Promise<Static<Schema>> {
    const answer = await post(`${panelUrl.replace(/\/+$/, '')}/api/v1/${path}`, {
      license_key: licenseKey,
      site_url: site.siteUrl,
      ...(token !== null && { activation_token: token }),
      ...body,
    });
    if (!Value.Check(schema, answer)) throw new PanelUnavailable('The panel gave an odd answer.');
    return answer;
  }

  const reported = async () => ({
    ...(await site.versions()),
    environment: site.environment,
  });

  const verdict = (refusal: string | null, license?: License) => ({
    license_valid: refusal === null,
    license_refusal: refusal,
    license_confirmed_at: now().toISOString(),
    ...(license && { license_expires_at: license.expires_at }),
  });

  /** A refusal is a verdict and is kept; silence is none, and what was known stays. */
  async function ask(path: string, body: object): Promise<Static<typeof CheckResponse>> {
    try {
      const named = { ...body, capabilities: CAPABILITIES };
      const answer = await call(await connection(), path, named, CheckResponse);
      await options.write({
        ...verdict(null, answer.license),
        service_enabled_services: answer.enabled_services,
        panel_capabilities: answer.capabilities ?? [],
        ...(await followedKey(answer)),
      });
      return answer;
    } catch (error) {
      const isVerdict = error instanceof PanelRefused && VERDICTS.has(error.code);
      if (isVerdict) await options.write(verdict(error.code, error.license));
      throw error;
    }
  }

  /** Only activating pins a key. Afterwards the panel can replace it by one that the old one has signed. */
  async function followedKey({ signing_key }: Static<typeof CheckResponse>) {
    const { signing_key: known } = await options.read();
    const { public_key, previous } = signing_key ?? {};
    if (!public_key || !previous || previous.public_key !== known) return {};
    return isFollowedBy(known, public_key, previous.signature) ? { signing_key: public_key } : {};
  }

  async function activate({ panelUrl, licenseKey, token }: Connection): Promise<void> {
    const body = {
      ...(await reported()),
      endpoint_url: `${site.siteUrl.replace(/\/+$/, '')}/${SITE_API_PREFIX}/`,
      capabilities: CAPABILITIES,
    };
    const to = { panelUrl, licenseKey, token };
    const { service_license_key: formerKey } = await options.read();
    const answer = await call(to, 'license/activate', body, ActivateResponse);
    const key = answer.site_key ?? licenseKey;
    // Written once, when it is done: until then the site stays with what it had.
    await options.write({
      service_panel_url: panelUrl,
      service_license_key: key,
      service_enabled_services: answer.license.plan.services,
      site_url: site.siteUrl,
      activation_token: answer.activation_token,
      license_key_sha256: sha256(licenseKey),
      signing_key: answer.signing_key?.public_key ?? null,
      panel_capabilities: answer.capabilities ?? [],
      // The panel expects a new log with a new key.
      ...(key !== formerKey && { call_log: [], call_log_acknowledged: 0 }),
      ...verdict(null, answer.license),
    });
  }

  /** The panel has to reach the site before its new key counts. If it cannot, the site stays with what it had. */
  async function moveOver(known: Connection): Promise<void> {
    // A nonce that was used stays used.
    const { used_nonces, ...former } = await options.read();
    await activate(known);
    for (let second = 0; second < PROOF_SECONDS; second++) {
      await sleep(1000);
      const refusal = await refusalOf(
        call(await connection(), 'license/check', await reported(), CheckResponse),
      );
      if (refusal === null) return;
      if (refusal !== 'address_not_proven') break;
    }
    await options.write(former);
  }

  return {
    async activate(panelUrl, licenseKey) {
      const { service_panel_url, service_license_key, license_key_sha256, activation_token } =
        await options.read();
      const isSame =
        service_license_key === licenseKey || license_key_sha256 === sha256(licenseKey);
      const isAgain = service_panel_url === panelUrl && isSame;
      const token = isAgain ? activation_token : null;
      try {
        await activate({ panelUrl, licenseKey, token });
      } catch (error) {
        // What it had is not known there any more, after a restored backup for example.
        const isForgotten =
          error instanceof PanelRefused && error.code === 'invalid_activation_token';
        if (!isForgotten || token === null) throw error;
        await activate({ panelUrl, licenseKey, token: null });
      }
    },

    async deactivate() {
      await call(await connection(), 'license/deactivate', {}, DeactivateResponse);
      await options.write(NO_OPTIONS);
    },

    async check() {
      const answer = await ask('license/check', await reported());
      // Connected before there were site keys, or by hand: from now on it has one of its own.
      const known = await connection();
      const panelGivesKeys = answer.capabilities?.includes('site_key');
      if (panelGivesKeys && known.token !== null && !isSiteKey(known.licenseKey)) {
        await moveOver(known);
      }
      return answer.next_check_in;
    },

    async verify(inventory) {
      const call_log = callLogReport(await options.read());
      const report = {
        ...(await site.versions()),
        inventory,
        accepts_unsigned_calls: site.acceptsUnsignedCalls,
        ...(call_log && { call_log }),
      };
      const answer = await ask('site/verify', report);
      if (answer.call_log) {
        await options.write({ call_log_acknowledged: answer.call_log.acknowledged });
      }
    },
  };
}

/** The panel's code; null: it did not refuse. */
async function refusalOf(asked: Promise<unknown>): Promise<string | null> {
  try {
    await asked;
    return null;
  } catch (error) {
    return error instanceof PanelRefused ? error.code : 'unavailable';
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Refusals that say something about the license here; a malformed request, for one, does not. */
const VERDICTS = new Set([
  'invalid_license_key',
  'invalid_activation_token',
  'license_expired',
  'license_suspended',
  'license_revoked',
  'site_not_activated',
]);

async function post(url: string, body: object): Promise<unknown> {
  let status: number;
  let answer: unknown;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    status = response.status;
    answer = await response.json();
  } catch (cause) {
    throw new PanelUnavailable('The panel could not be reached.', { cause });
  }
  if (status === 200) return answer;
  const isRefusal = status < 500 && status !== 429 && Value.Check(LicenseErrorBody, answer);
  if (!isRefusal) throw new PanelUnavailable(`The panel answered with status ${status}.`);
  const { code, error, license } = answer as LicenseErrorBody;
  throw new PanelRefused(code, error, license);
}
