import { describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';

describe('loadConfig', () => {
  it('has a default for every variable', () => {
    expect(loadConfig({})).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      baseUrl: 'http://localhost:8080',
      databaseUrl: null,
      migrationDatabaseUrl: null,
      directDatabaseUrl: null,
      replicaDatabaseUrl: null,
      secretKey: null,
      logLevel: 'info',
      auditHeadWebhook: null,
      smtp: null,
      allowPrivateSites: false,
      siteAddresses: new Map(),
      siteTimeouts: { connectSeconds: 10, actionSeconds: 300, updateSeconds: 900 },
      siteCallLimits: { total: 50, perAddress: 2 },
      pingMinutes: 5,
      rateLimitPerMinute: 6000,
      drainSeconds: 2,
      trustProxy: false,
      metrics: null,
      tracing: null,
    });
    expect(loadConfig({}).dataDir).toMatch(/\/data$/);
  });

  it('reads every variable', () => {
    const env = {
      PORT: '9000',
      HOST: '0.0.0.0',
      BASE_URL: 'https://panel.example.com/',
      DATA_DIR: '/srv/steward',
      DATABASE_URL: 'postgres://u:p@db/steward',
      MIGRATION_DATABASE_URL: 'postgres://owner:p@db/steward',
      DATABASE_DIRECT_URL: 'postgres://u:p@db:5433/steward',
      DATABASE_REPLICA_URL: 'postgres://u:p@replica/steward',
      SECRET_KEY: 'x'.repeat(32),
      LOG_LEVEL: 'warn',
      AUDIT_HEAD_WEBHOOK: 'https://heads.example.com/steward?token=x',
      SMTP_URL: 'smtps://steward:p%40ss@mail.example.com',
      SMTP_FROM: 'Steward <steward@example.com>',
      ALLOW_PRIVATE_SITES: 'true',
      SITE_ADDRESSES: 'shop.example.com=10.0.0.5, Blog.Example.com = fd00::6',
      SITE_CALLS_AT_ONCE: '100',
      SITE_CALLS_PER_ADDRESS: '7',
      BACKUP_FOLDER: '/var/backups',
      BACKUP_EVERY: '6',
      BACKUP_KEEP: '28',
      PING_MINUTES: '15',
      SITE_CONNECT_TIMEOUT: '5',
      SITE_ACTION_TIMEOUT: '60',
      SITE_UPDATE_TIMEOUT: '86400',
      WORKER_LEASE_SECONDS: '60',
      RATE_LIMIT: 'off',
      WATCH_HOURS: '48',
      NEW_SITES_PER_DAY: '50000',
      DRAIN_SECONDS: '30',
      TRUST_PROXY: '10.0.0.1, 10.0.0.2',
      METRICS_PORT: '9464',
      METRICS_HOST: '10.0.0.9',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_SERVICE_NAME: 'panel',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    };
    expect(loadConfig(env)).toEqual({
      port: 9000,
      host: '0.0.0.0',
      baseUrl: 'https://panel.example.com',
      dataDir: '/srv/steward',
      databaseUrl: 'postgres://u:p@db/steward',
      migrationDatabaseUrl: 'postgres://owner:p@db/steward',
      directDatabaseUrl: 'postgres://u:p@db:5433/steward',
      replicaDatabaseUrl: 'postgres://u:p@replica/steward',
      secretKey: 'x'.repeat(32),
      logLevel: 'warn',
      auditHeadWebhook: 'https://heads.example.com/steward?token=x',
      smtp: {
        url: 'smtps://steward:p%40ss@mail.example.com',
        from: 'Steward <steward@example.com>',
      },
      allowPrivateSites: true,
      siteAddresses: new Map([
        ['shop.example.com', [{ address: '10.0.0.5', family: 4 }]],
        ['blog.example.com', [{ address: 'fd00::6', family: 6 }]],
      ]),
      siteTimeouts: { connectSeconds: 5, actionSeconds: 60, updateSeconds: 86_400 },
      siteCallLimits: { total: 100, perAddress: 7 },
      backups: { folder: '/var/backups', everyHours: 6, keep: 28 },
      pingMinutes: 15,
      leaseSeconds: 60,
      rateLimitPerMinute: null,
      newSitesPerDay: 50_000,
      watchHours: 48,
      drainSeconds: 30,
      trustProxy: ['10.0.0.1', '10.0.0.2'],
      metrics: { port: 9464, host: '10.0.0.9' },
      tracing: {
        serviceName: 'panel',
        protocol: 'http/json',
        sampler: { name: 'parentbased_traceidratio', ratio: 0.25 },
      },
    });
  });

  it('treats an empty variable as unset', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: ' ' })).toEqual(loadConfig({}));
  });

  it('reports all errors in one message, without the secret', () => {
    const env = {
      WORKER_LEASE_SECONDS: '9',
      PORT: '70000',
      BASE_URL: 'panel',
      DATABASE_URL: 'mysql://x',
      SECRET_KEY: 'too short',
      LOG_LEVEL: 'loud',
      SMTP_URL: 'smtp://user:%zz@mail.example.com',
      SMTP_FROM: 'steward@example.com\r\nBcc: x@example.com',
      ALLOW_PRIVATE_SITES: 'constructor',
      SITE_ADDRESSES: 'shop.example.com=somewhere',
      SITE_CONNECT_TIMEOUT: '11',
      SITE_ACTION_TIMEOUT: '1.5',
      SITE_UPDATE_TIMEOUT: '86401',
      RATE_LIMIT: '0',
      TRUST_PROXY: 'everybody',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'some',
      OTEL_TRACES_SAMPLER_ARG: '2',
    };
    expect(() => loadConfig(env)).toThrow(new RegExp(Object.keys(env).join('.*')));
    expect(() => loadConfig(env)).not.toThrow(/too short|%zz/);
    expect(() => loadConfig({ SMTP_URL: 'smtp://mail' })).toThrow(/also requires SMTP_FROM/);
    expect(() => loadConfig({ BACKUP_KEEP: '3' })).toThrow(/also require BACKUP_FOLDER/);
    expect(() => loadConfig({ DATABASE_REPLICA_URL: 'postgres://replica/steward' })).toThrow(
      /DATABASE_REPLICA_URL also requires DATABASE_URL/,
    );
    expect(() => loadConfig({ BACKUP_EVERY: '0' })).toThrow(/BACKUP_EVERY must be/);
  });

  it('sends no traces without an address, or if they are turned off', () => {
    expect(loadConfig({ OTEL_SERVICE_NAME: 'panel' }).tracing).toBeNull();
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/v1/traces' };
    expect(loadConfig(env).tracing).toMatchObject({ protocol: 'http/protobuf' });
    expect(loadConfig({ ...env, OTEL_SDK_DISABLED: 'true' }).tracing).toBeNull();
  });

  it.each(['10.0.0.0/33', '10.0.0.0/0', '::1/129', '10.0.0.0/8/8', '10.0.0.0/', '10.0/8'])(
    'refuses the proxy range %s',
    (range) => {
      expect(() => loadConfig({ TRUST_PROXY: `127.0.0.1,${range}` })).toThrow(
        /TRUST_PROXY must be true, false or a list of addresses/,
      );
    },
  );

  it('accepts proxy ranges of IPv4 and IPv6', () => {
    const { trustProxy } = loadConfig({ TRUST_PROXY: '10.0.0.0/8, fd00::/8, ::1/128' });
    expect(trustProxy).toEqual(['10.0.0.0/8', 'fd00::/8', '::1/128']);
  });

  it('limits the connect timeout to a third of the lease', () => {
    const connectSeconds = (env: NodeJS.ProcessEnv) => loadConfig(env).siteTimeouts.connectSeconds;
    expect(connectSeconds({})).toBe(10);
    expect(connectSeconds({ WORKER_LEASE_SECONDS: '10' })).toBe(3);
    expect(connectSeconds({ WORKER_LEASE_SECONDS: '300' })).toBe(10);
    const tooLong = { WORKER_LEASE_SECONDS: '10', SITE_CONNECT_TIMEOUT: '4' };
    expect(() => loadConfig(tooLong)).toThrow(/SITE_CONNECT_TIMEOUT .* from 1 to 3/);
  });

  it('returns a frozen object', () => {
    const config = loadConfig({});
    expect([config, config.siteTimeouts].every(Object.isFrozen)).toBe(true);
  });
});
