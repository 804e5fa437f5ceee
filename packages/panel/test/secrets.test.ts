import { createHmac, hkdfSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../src/lib/logger.ts';
import { createSecrets, generateActivationToken, generateLinkToken } from '../src/lib/secrets.ts';
import { startPanel, steward, temporaryFolder } from './support/processes.ts';
import { VERSIONS } from './support/test-panel.ts';

const SECRET = 'a secret of at least thirty-two characters';

describe('createSecrets', () => {
  const secrets = createSecrets(SECRET);

  it("makes the HMAC that Node's own function makes", () => {
    const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'steward/lookup/v1', 32));
    const text = fc.string({ unit: 'grapheme', maxLength: 300 });
    fc.assert(
      fc.property(text, (value) => {
        expect(secrets.fingerprint(value)).toBe(
          createHmac('sha256', key).update(value).digest('hex'),
        );
      }),
    );
  });

  it('opens what it sealed, and only for the same purpose and secret', () => {
    const sealed = secrets.encrypt('STWD-…', 'license_key');
    expect(secrets.decrypt(sealed, 'license_key')).toBe('STWD-…');
    expect(() => secrets.decrypt(sealed, 'activation_token')).toThrow();
    expect(() => createSecrets(`${SECRET}!`).decrypt(sealed, 'license_key')).toThrow();
  });

  it('notices every changed byte', () => {
    const sealed = secrets.encrypt('STWD-…', 'license_key');
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => secrets.decrypt(changed, 'license_key')).toThrow();
    }
  });

  it('never seals the same value the same way twice', () => {
    expect(secrets.encrypt('x', 'license_key')).not.toEqual(secrets.encrypt('x', 'license_key'));
  });
});

describe('the log', () => {
  const KEY = 'STWD-0123456-789ABCD-EFGHJKM-NPQRSTV';

  it('writes no key and no token, wherever a careless call puts them', () => {
    const lines: string[] = [];
    const log = createLogger('trace', { write: (line) => lines.push(line) });
    const token = generateActivationToken();
    log.info({ license_key: KEY, body: { licenseKey: KEY, activation_token: token } }, 'fields');
    log.info({ req: { headers: { 'x-service-key': KEY, cookie: 'session=abc' } } }, 'headers');
    log.info(`text with ${KEY.toLowerCase()} and ${token} in it`);
    log.error({ err: new Error(`cause with ${KEY}`) }, 'error');
    const link = generateLinkToken();
    log.info({ body: { token: link, password: 'swordfish', new_password: 'swordfish' } }, link);
    const written = lines.join('');
    expect(lines).toHaveLength(5);
    expect(written).not.toContain(link.slice(5));
    expect(written).not.toContain('swordfish');
    expect(written.toUpperCase()).not.toContain(KEY.slice(5));
    expect(written).not.toContain(token.slice(5));
    expect(written).not.toContain('session=abc');
  });
});

describe('what lies on disk', () => {
  it('holds no license key, no password and no token in clear: tables, indexes, WAL and logs', async () => {
    const env = { DATA_DIR: temporaryFolder() };
    const panel = await startPanel(env);
    const create = [
      'license',
      'create',
      '--plan',
      'P',
      '--site-limit',
      '5',
      '--count',
      '3',
      '--json',
    ];
    const licenses = JSON.parse((await steward(create, env)).stdout) as { license_key: string }[];
    const secretTexts: string[] = [];
    for (const { license_key } of licenses) {
      const ask = {
        license_key,
        site_url: `https://${license_key.slice(-6)}.example.com`,
        ...VERSIONS,
      };
      const { body } = await panel.post('/api/v1/license/activate', ask);
      const activation_token = String(body.activation_token);
      await panel.post('/api/v1/license/check', { ...ask, activation_token });
      await panel.post('/api/v1/site/verify', { ...ask, activation_token });
      await panel.post('/api/v1/license/check', { ...ask, activation_token: 'wrong' });
      secretTexts.push(license_key, license_key.replaceAll('-', ''), activation_token);
    }
    const invite = ['user', 'create', '--email', 'a@mail.example', '--role', 'owner', '--json'];
    const { password } = JSON.parse((await steward(invite, env)).stdout);
    const credentials = { email: 'a@mail.example', password };
    expect((await panel.post('/auth/sign-in/email', credentials)).status).toBe(200);
    const setupToken = /#token=(\S+)/.exec(panel.output.stdout)?.[1] ?? '';
    expect(setupToken).toMatch(/^stwl_/);
    secretTexts.push(password, setupToken);
    expect(await panel.end('SIGTERM')).toBe(0);

    const files = readdirSync(env.DATA_DIR, { recursive: true, withFileTypes: true }).filter(
      (file) => file.isFile(),
    );
    const contents = files.map((file) =>
      readFileSync(join(file.parentPath, file.name), 'latin1').toUpperCase(),
    );
    // The check can fail: something that is stored in clear is found.
    expect(contents.some((content) => content.includes('.EXAMPLE.COM'))).toBe(true);
    for (const secret of secretTexts) {
      expect(contents.some((content) => content.includes(secret.toUpperCase()))).toBe(false);
    }
    expect(panel.output.stderr.length).toBeGreaterThan(0);
    for (const secret of secretTexts) expect(panel.output.stderr).not.toContain(secret);
  });
});
