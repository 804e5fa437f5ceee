import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { canonicalSiteUrl } from '@steward/contract';
import ipaddr from 'ipaddr.js';
import { ensureDataDir } from './data-dir.ts';
import { type DatabaseUrls, readDatabaseUrls } from './database/database-urls.ts';
import { type DnsOverrides, parseDnsOverrides } from './dns-overrides.ts';
import { INSTALLED } from './installation.ts';
import { readOrCreateSecretFile, readSecretFile } from './secret-file.ts';
import { readSettingText } from './setting-files.ts';
import { readTracingConfig, type TracingConfig } from './telemetry/tracing-config.ts';

export type SiteTimeouts = Readonly<{
  /** DNS lookup, connection and TLS handshake together. */
  connectSeconds: number;
  /** A whole plugin action or sync, up to the last byte of the response. */
  actionSeconds: number;
  updateSeconds: number;
}>;

/** Calls to sites at the same time. */
export type SiteCallLimits = { total: number; perAddress: number };

export type Config = DatabaseUrls & OtherSettings;

type OtherSettings = Readonly<{
  port: number;
  host: string;
  baseUrl: string;
  dataDir: string;
  /** Null: stored in a file under the data directory. */
  secretKey: string | null;
  logLevel: string;
  /** Receives the sealed head of the audit log; null to disable. */
  auditHeadWebhook: string | null;
  /** The mail server and the sender of notifications; null: no e-mail. */
  smtp: Readonly<{ url: string; from: string }> | null;
  allowPrivateSites: boolean;
  /** Fixed addresses of sites, which override DNS. */
  siteAddresses: DnsOverrides;
  siteTimeouts: SiteTimeouts;
  /** Concurrency limits for calls to sites. */
  siteCallLimits: Readonly<SiteCallLimits>;
  /** Scheduled backups; null: none. */
  backups: Readonly<{ folder: string; everyHours: number; keep: number }> | null;
  /** How long real requests are watched after an update. */
  watchHours: number;
  /** Minutes between two pings of a site; 0 for no pings. */
  pingMinutes: number;
  /** A worker that sends no heartbeat for this time loses its tasks to other workers. */
  leaseSeconds: number;
  /** Requests per client address; null for no limit. */
  rateLimitPerMinute: number | null;
  /** New sites per day (UTC) of a license without a site limit. */
  newSitesPerDay: number;
  /** How long the panel serves requests after SIGTERM, while load balancers take it out. */
  drainSeconds: number;
  /** Proxies whose X-Forwarded-For header is trusted. */
  trustProxy: boolean | string[];
  /** Where this process serves its metrics; null: nowhere. */
  metrics: Readonly<{ port: number; host: string }> | null;
  /** Null: no traces. */
  tracing: TracingConfig | null;
}>;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const DEFAULT_RATE_LIMIT_PER_MINUTE = 6000;
const SECRET_KEY_MIN_LENGTH = 32;
const MAX_TIMEOUT_SECONDS = 86_400;
const LEASE_SECONDS = { default: 30, min: 10, max: 300 };
const MAX_CONNECT_SECONDS = 10;

/** Reads the environment, and the files that it names, once and reports all errors together. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const errors: string[] = [];
  const read = <T>(
    name: string,
    fallback: T,
    parse: (text: string) => T | undefined,
    hint: string,
  ): T => {
    const text = readSettingText(env, name, errors);
    if (text === undefined) return fallback;
    const value = parse(text);
    if (value !== undefined) return value;
    errors.push(`${name} ${hint}`);
    return fallback;
  };
  const readSeconds = (name: string, fallback: number, min: number, max: number): number =>
    read(
      name,
      fallback,
      (text) => parseSeconds(text, min, max),
      `must be a whole number of seconds from ${min} to ${max}`,
    );
  const readTimeout = (name: string, fallback: number, max = MAX_TIMEOUT_SECONDS): number =>
    readSeconds(name, fallback, 1, max);

  const readSmtp = (): Config['smtp'] => {
    const url = read(
      'SMTP_URL',
      null,
      parseSmtpUrl,
      'must look like smtps://user:password@host:465',
    );
    const from = read(
      'SMTP_FROM',
      null,
      parseSender,
      'must be an e-mail address, or Name <address>',
    );
    if (url !== null && from !== null) return Object.freeze({ url, from });
    if (url !== null && !env.SMTP_FROM?.trim() && !env.SMTP_FROM_FILE?.trim())
      errors.push('SMTP_URL also requires SMTP_FROM');
    return null;
  };

  const readBackups = (): Config['backups'] => {
    const folder = read('BACKUP_FOLDER', null, (text) => resolve(text), '');
    const everyHours = read(
      'BACKUP_EVERY',
      24,
      parseHours,
      'must be a whole number of hours from 1 to 744',
    );
    const keep = read('BACKUP_KEEP', 7, parseCount, COUNT_HINT);
    if (folder !== null) return Object.freeze({ folder, everyHours, keep });
    if (env.BACKUP_EVERY?.trim() || env.BACKUP_KEEP?.trim())
      errors.push('BACKUP_EVERY and BACKUP_KEEP also require BACKUP_FOLDER');
    return null;
  };

  const leaseSeconds = readSeconds(
    'WORKER_LEASE_SECONDS',
    LEASE_SECONDS.default,
    LEASE_SECONDS.min,
    LEASE_SECONDS.max,
  );
  // The connection must open well within the lease, even if the process is suspended (docs/architecture.md).
  const maxConnectSeconds = Math.min(MAX_CONNECT_SECONDS, Math.floor(leaseSeconds / 3));
  const port = read('PORT', 8080, parsePort, PORT_HINT);
  const metricsPort = read<number | null>('METRICS_PORT', null, parsePort, PORT_HINT);
  const metricsHost = read('METRICS_HOST', '127.0.0.1', (text) => text, '');
  const config: Config = {
    port,
    host: read('HOST', '127.0.0.1', (text) => text, ''),
    baseUrl: read(
      'BASE_URL',
      `http://localhost:${port}`,
      parseBaseUrl,
      'must be an http or https URL',
    ),
    dataDir: resolve(read('DATA_DIR', INSTALLED.defaultDataDir, (text) => text, '')),
    ...readDatabaseUrls(read),
    secretKey: read(
      'SECRET_KEY',
      null,
      parseSecretKey,
      `must have at least ${SECRET_KEY_MIN_LENGTH} characters`,
    ),
    logLevel: read(
      'LOG_LEVEL',
      'info',
      (text) => oneOf(text, LOG_LEVELS),
      `must be one of ${LOG_LEVELS.join(', ')}`,
    ),
    auditHeadWebhook: read(
      'AUDIT_HEAD_WEBHOOK',
      null,
      parseHttpUrl,
      'must be an http or https URL',
    ),
    smtp: readSmtp(),
    allowPrivateSites: read('ALLOW_PRIVATE_SITES', false, parseBoolean, 'must be true or false'),
    siteAddresses: read<DnsOverrides>(
      'SITE_ADDRESSES',
      new Map(),
      parseDnsOverrides,
      'must look like shop.example.com=10.0.0.5,blog.example.com=10.0.0.6',
    ),
    siteTimeouts: Object.freeze({
      connectSeconds: readTimeout('SITE_CONNECT_TIMEOUT', maxConnectSeconds, maxConnectSeconds),
      actionSeconds: readTimeout('SITE_ACTION_TIMEOUT', 5 * 60),
      updateSeconds: readTimeout('SITE_UPDATE_TIMEOUT', 15 * 60),
    }),
    siteCallLimits: Object.freeze({
      total: read('SITE_CALLS_AT_ONCE', 50, parseCount, COUNT_HINT),
      perAddress: read('SITE_CALLS_PER_ADDRESS', 2, parseCount, COUNT_HINT),
    }),
    backups: readBackups(),
    pingMinutes: read('PING_MINUTES', 5, parseUpTo(60), 'must be a whole number from 0 to 60'),
    leaseSeconds,
    rateLimitPerMinute: read(
      'RATE_LIMIT',
      DEFAULT_RATE_LIMIT_PER_MINUTE,
      parseRateLimit,
      'must be off or a whole number of requests per minute',
    ),
    newSitesPerDay: read(
      'NEW_SITES_PER_DAY',
      1000,
      parseNewSites,
      'must be a whole number from 1 to 9999999',
    ),
    watchHours: read(
      'WATCH_HOURS',
      24,
      parseWatchHours,
      'must be a whole number of hours from 1 to 168',
    ),
    drainSeconds: read(
      'DRAIN_SECONDS',
      2,
      parseUpTo(300),
      'must be a whole number of seconds from 0 to 300',
    ),
    trustProxy: read(
      'TRUST_PROXY',
      false,
      parseTrustProxy,
      'must be true, false or a list of addresses',
    ),
    metrics: metricsPort === null ? null : Object.freeze({ port: metricsPort, host: metricsHost }),
    tracing: readTracingConfig(read),
  };

  if (errors.length > 0) {
    throw new Error(`Invalid configuration: ${errors.join('; ')}.`);
  }
  return Object.freeze(config);
}

/** Returns the secret of the panel: from the environment, or from a file that the first start creates. */
export function resolveSecretKey(config: Config): string {
  return (
    config.secretKey ?? readOrCreateSecretFile(join(ensureDataDir(config.dataDir), 'secret.key'))
  );
}

/** Returns the secret, or null if there is none yet. Unlike `resolveSecretKey`, it creates no file. */
export const findSecretKey = (config: Config): string | null =>
  config.secretKey ?? readSecretFile(join(config.dataDir, 'secret.key'));

const PORT_HINT = 'must be a whole number from 0 to 65535';

function parseWatchHours(text: string): number | undefined {
  const hours = parseUpTo(168)(text);
  return hours === 0 ? undefined : hours;
}

function parsePort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

function parseBaseUrl(text: string): string | undefined {
  return /^https?:\/\//i.test(text) && canonicalSiteUrl(text).ok
    ? text.replace(/\/+$/, '')
    : undefined;
}

function parseHttpUrl(text: string): string | undefined {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  // fetch() rejects a URL with a login and repeats the login in its error message.
  return url && !url.username && !url.password ? text : undefined;
}

function parseSmtpUrl(text: string): string | undefined {
  const url = /^smtps?:\/\//i.test(text) ? URL.parse(text) : null;
  // The login is percent-encoded.
  const isEncoded = /^(?:[^%]|%[0-9a-f]{2})*$/i.test(`${url?.username}${url?.password}`);
  return url?.hostname && isEncoded ? text : undefined;
}

function parseSender(text: string): string | undefined {
  return /^(?:[^<>\p{Cc}]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(text)
    ? text
    : undefined;
}

function parseSecretKey(text: string): string | undefined {
  return text.length >= SECRET_KEY_MIN_LENGTH ? text : undefined;
}

function parseRateLimit(text: string): number | null | undefined {
  if (text === 'off') return null;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

const parseNewSites = (text: string) => (/^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined);

function parseSeconds(text: string, min: number, max: number): number | undefined {
  const seconds = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined;
  return seconds !== undefined && seconds >= min && seconds <= max ? seconds : undefined;
}

const COUNT_HINT = 'must be a whole number from 1 to 1000';

function parseCount(text: string): number | undefined {
  const count = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined;
  return count !== undefined && count <= 1000 ? count : undefined;
}

function parseHours(text: string): number | undefined {
  const hours = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : undefined;
  return hours !== undefined && hours <= 31 * 24 ? hours : undefined;
}

const parseUpTo = (max: number) => (text: string) =>
  /^\d{1,3}$/.test(text) && Number(text) <= max ? Number(text) : undefined;

function parseTrustProxy(text: string): boolean | string[] | undefined {
  const addresses = text.split(',').map((part) => part.trim());
  return parseBoolean(text) ?? (addresses.every(isAddressOrRange) ? addresses : undefined);
}

function isAddressOrRange(text: string): boolean {
  const [address = '', bits] = text.split('/');
  if (isIP(address) === 0) return false;
  // Fastify refuses a range of all addresses: the setting `true` trusts them.
  return bits === undefined || (ipaddr.isValidCIDR(text) && Number(bits) > 0);
}

function parseBoolean(text: string): boolean | undefined {
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

function oneOf(text: string, allowed: string[]): string | undefined {
  return allowed.includes(text) ? text : undefined;
}
