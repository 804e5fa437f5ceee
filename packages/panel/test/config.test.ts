import { describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config.ts';

describe('loadConfig', () => {
  it('has a default for everything', () => {
    expect(loadConfig({})).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      baseUrl: 'http://localhost:8080',
      databaseUrl: null,
      secretKey: null,
      logLevel: 'info',
      allowPrivateSites: false,
      rateLimitPerMinute: 6000,
      trustProxy: false,
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
      SECRET_KEY: 'x'.repeat(32),
      LOG_LEVEL: 'warn',
      ALLOW_PRIVATE_SITES: 'true',
      RATE_LIMIT: 'off',
      TRUST_PROXY: '10.0.0.1, 10.0.0.2',
    };
    expect(loadConfig(env)).toEqual({
      port: 9000,
      host: '0.0.0.0',
      baseUrl: 'https://panel.example.com',
      dataDir: '/srv/steward',
      databaseUrl: 'postgres://u:p@db/steward',
      secretKey: 'x'.repeat(32),
      logLevel: 'warn',
      allowPrivateSites: true,
      rateLimitPerMinute: null,
      trustProxy: ['10.0.0.1', '10.0.0.2'],
    });
  });

  it('treats an empty variable as one that is not there', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: ' ' })).toEqual(loadConfig({}));
  });

  it('names every fault in one message, and never the secret', () => {
    const env = {
      PORT: '70000',
      BASE_URL: 'panel',
      DATABASE_URL: 'mysql://x',
      SECRET_KEY: 'too short',
      LOG_LEVEL: 'loud',
      ALLOW_PRIVATE_SITES: 'constructor',
      RATE_LIMIT: '0',
      TRUST_PROXY: 'everybody',
    };
    expect(() => loadConfig(env)).toThrow(new RegExp(Object.keys(env).join('.*')));
    expect(() => loadConfig(env)).not.toThrow(/too short/);
  });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(loadConfig({}))).toBe(true);
  });
});
