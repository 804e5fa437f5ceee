import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ActivateResponse,
  CheckResponse,
  DeactivateResponse,
  type Environment,
  type Inventory,
  type ItemErrorGroup,
  isSiteKey,
  type License,
  type PreflightReport,
  SITE_API_PREFIX,
} from '@steward/contract';
import type { Static, TSchema } from 'typebox';
import Value from 'typebox/value';
import { callLogReport } from './call-log.ts';
import { isSignedByKey } from './call-signature.ts';
import { PanelRefused, PanelUnavailable } from './panel-errors.ts';
import { postToPanel } from './post-to-panel.ts';
import { EMPTY_OPTIONS, type OptionsStore } from './site-options.ts';

/** The requests of a site to its panel. */
export type PanelClient = {
  /** Activates the license on this site and stores the panel's response. */
  activate(panelUrl: string, licenseKey: string): Promise<void>;
  deactivate(): Promise<void>;
  /** Checks the license with the panel. Returns the seconds until the next check-in. */
  check(): Promise<number>;
  /** Reports the inventory and the call log. */
  verify(inventory: Inventory, preflight?: PreflightReport): Promise<void>;
};

export type SiteIdentity = {
  siteUrl: string;
  environment: Environment;
  acceptsUnsignedCalls: boolean;
  readVersions(): Promise<{ cms_version: string; php_version: string; plugin_version: string }>;
  /** Reads the fatal errors of the last 30 days. If missing, the site reports no errors. */
  readItemErrors?: () => Promise<ItemErrorGroup[]>;
};

/** The extensions that every agent supports, not all that the contract defines. */
const CAPABILITIES = [
  'result_details',
  'site_key',
  'signed_calls',
  'call_log',
  'update.items',
  'install',
  'restore',
  'preflight',
];
/** How long to wait for the proof of address. The panel calls the site back within seconds. */
const PROOF_TIMEOUT_SECONDS = 10;

type Dependencies = {
  site: SiteIdentity;
  options: OptionsStore;
  now(): Date;
};

export function createPanelClient({ site, options, now }: Dependencies): PanelClient {
  const capabilities = [...CAPABILITIES, ...(site.readItemErrors ? ['item_errors'] : [])];
  /** `key`: the license key, or the site key that replaced it. */
  type Connection = { panelUrl: string; key: string; token: string | null };

  async function readConnection(): Promise<Connection> {
    const { service_panel_url, service_license_key, activation_token } = await options.read();
    if (!service_panel_url || !service_license_key) {
      throw new PanelRefused('not_connected', 'This site is not connected to a panel.');
    }
    return {
      panelUrl: service_panel_url,
      key: service_license_key,
      token: activation_token,
    };
  }

  async function send<Schema extends TSchema>(
    { panelUrl, key, token }: Connection,
    path: string,
    body: object,
    schema: Schema,
  ): Promise<Static<Schema>> {
    const response = await postToPanel(panelUrl, path, {
      license_key: key,
      site_url: site.siteUrl,
      ...(token !== null && { activation_token: token }),
      ...body,
    });
    if (!Value.Check(schema, response))
      throw new PanelUnavailable(
        `The panel at ${panelUrl} sent an invalid response. Check that this is the address of a Steward panel.`,
      );
    return response;
  }

  const readSiteDetails = async () => ({
    ...(await site.readVersions()),
    environment: site.environment,
  });

  const createVerdict = (refusal: string | null, license?: License) => ({
    license_valid: refusal === null,
    license_refusal: refusal,
    license_confirmed_at: now().toISOString(),
    ...(license && { license_expires_at: license.expires_at }),
  });

  /** Stores the panel's verdict, including a refusal. If the panel is unavailable, the last verdict stays. */
  async function checkLicense(path: string, body: object): Promise<Static<typeof CheckResponse>> {
    try {
      const withCapabilities = { ...body, capabilities };
      const response = await send(await readConnection(), path, withCapabilities, CheckResponse);
      await options.write({
        ...createVerdict(null, response.license),
        service_enabled_services: response.enabled_services,
        panel_capabilities: response.capabilities ?? [],
        ...(await readRotatedKey(response)),
      });
      return response;
    } catch (error) {
      const isVerdict = error instanceof PanelRefused && VERDICT_CODES.has(error.code);
      if (isVerdict) await options.write(createVerdict(error.code, error.license));
      throw error;
    }
  }

  /** Returns the new signing key, if the panel announced one. The stored key must have signed it. */
  async function readRotatedKey({ signing_key }: Static<typeof CheckResponse>) {
    const { signing_key: pinnedKey } = await options.read();
    const { public_key, previous } = signing_key ?? {};
    if (!public_key || !previous || previous.public_key !== pinnedKey) return {};
    return isSignedByKey(pinnedKey, public_key, previous.signature)
      ? { signing_key: public_key }
      : {};
  }

  async function activate(connection: Connection): Promise<void> {
    const body = {
      ...(await readSiteDetails()),
      endpoint_url: `${site.siteUrl.replace(/\/+$/, '')}/${SITE_API_PREFIX}/`,
      capabilities,
      time_zone: readTimeZone(),
    };
    const { service_license_key: oldKey } = await options.read();
    const response = await send(connection, 'license/activate', body, ActivateResponse);
    const key = response.site_key ?? connection.key;
    // Write once, after success, so that a failed activation keeps the old connection.
    await options.write({
      service_panel_url: connection.panelUrl,
      service_license_key: key,
      service_enabled_services: response.license.plan.services,
      site_url: site.siteUrl,
      activation_token: response.activation_token,
      license_key_sha256: sha256(connection.key),
      signing_key: response.signing_key?.public_key ?? null,
      panel_capabilities: response.capabilities ?? [],
      // The panel expects a new call log per site key.
      ...(key !== oldKey && { call_log: [], call_log_acknowledged: 0 }),
      ...createVerdict(null, response.license),
    });
  }

  /** The new site key becomes valid with the proof of address. If the proof fails, restores the old connection. */
  async function migrateToSiteKey(connection: Connection): Promise<void> {
    // Exclude nonces from the restore: a used nonce must stay used.
    const { used_nonces, ...oldOptions } = await options.read();
    await activate(connection);
    for (let second = 0; second < PROOF_TIMEOUT_SECONDS; second++) {
      await sleep(1000);
      const refusal = await readRefusalCode(
        send(await readConnection(), 'license/check', await readSiteDetails(), CheckResponse),
      );
      if (refusal === null) return;
      if (refusal !== 'address_not_proven') break;
    }
    await options.write(oldOptions);
  }

  return {
    async activate(panelUrl, licenseKey) {
      const { service_panel_url, service_license_key, license_key_sha256, activation_token } =
        await options.read();
      const isSameKey =
        service_license_key === licenseKey || license_key_sha256 === sha256(licenseKey);
      const isReactivation = service_panel_url === panelUrl && isSameKey;
      const token = isReactivation ? activation_token : null;
      try {
        await activate({ panelUrl, key: licenseKey, token });
      } catch (error) {
        // The panel may no longer know the token, for example after its database was restored from a backup.
        const isUnknownToken =
          error instanceof PanelRefused && error.code === 'invalid_activation_token';
        if (!isUnknownToken || token === null) throw error;
        await activate({ panelUrl, key: licenseKey, token: null });
      }
    },

    async deactivate() {
      await send(await readConnection(), 'license/deactivate', {}, DeactivateResponse);
      await options.write(EMPTY_OPTIONS);
    },

    async check() {
      const response = await checkLicense('license/check', await readSiteDetails());
      // A site that was connected before site keys existed still uses the license key.
      const connection = await readConnection();
      const panelIssuesSiteKeys = response.capabilities?.includes('site_key');
      if (panelIssuesSiteKeys && connection.token !== null && !isSiteKey(connection.key)) {
        await migrateToSiteKey(connection);
      }
      return response.next_check_in;
    },

    async verify(inventory, preflight) {
      const stored = await options.read();
      const call_log = callLogReport(stored);
      const panelPredicts = stored.panel_capabilities.includes('preflight');
      const groups = stored.panel_capabilities.includes('item_errors')
        ? await site.readItemErrors?.()
        : null;
      const report = {
        ...(await site.readVersions()),
        inventory,
        time_zone: readTimeZone(),
        ...(preflight && panelPredicts && { preflight }),
        ...(groups && { item_errors: { now: now().toISOString(), dropped: 0, groups } }),
        accepts_unsigned_calls: site.acceptsUnsignedCalls,
        ...(call_log && { call_log }),
      };
      const response = await checkLicense('site/verify', report);
      if (response.call_log) {
        await options.write({ call_log_acknowledged: response.call_log.acknowledged });
      }
    },
  };
}

/** Returns null if the panel accepted the request, its error code if it refused, else `unavailable`. */
async function readRefusalCode(request: Promise<unknown>): Promise<string | null> {
  try {
    await request;
    return null;
  } catch (error) {
    return error instanceof PanelRefused ? error.code : 'unavailable';
  }
}

/** The time zone of the machine, or of the variable TZ. */
const readTimeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Error codes that mean: the license is not valid on this site. Other codes, such as invalid_request, are no verdict. */
const VERDICT_CODES = new Set([
  'invalid_license_key',
  'invalid_activation_token',
  'license_expired',
  'license_suspended',
  'license_revoked',
  'site_not_activated',
]);
