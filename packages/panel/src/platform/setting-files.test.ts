import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from './config.ts';

const SECRET = 'a secret of more than thirty-two characters';
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-settings-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function writeSetting(text: string): string {
  const path = join(folder, 'setting');
  writeFileSync(path, text);
  return path;
}

describe('settings in files', () => {
  it('reads a setting from its file, without the line break at the end', () => {
    expect(loadConfig({ SECRET_KEY_FILE: writeSetting(`${SECRET}\r\n`) }).secretKey).toBe(SECRET);
  });

  it('checks the content like a variable', () => {
    const env = { DATABASE_URL_FILE: writeSetting('mysql://db') };
    expect(() => loadConfig(env)).toThrow(/DATABASE_URL must look like postgres:/);
  });

  it('accepts an empty variable beside the file, as compose files pass it', () => {
    const env = { SECRET_KEY: '', SECRET_KEY_FILE: writeSetting(SECRET) };
    expect(loadConfig(env).secretKey).toBe(SECRET);
  });

  it('refuses a variable and a file together', () => {
    const env = { SECRET_KEY: SECRET, SECRET_KEY_FILE: writeSetting(SECRET) };
    expect(() => loadConfig(env)).toThrow(
      'Invalid configuration: SECRET_KEY and SECRET_KEY_FILE are both set; remove one.',
    );
  });

  it('refuses a missing, an empty and an unreadable file, and never creates a new secret instead', () => {
    expect(() => loadConfig({ SECRET_KEY_FILE: join(folder, 'missing') })).toThrow(
      'SECRET_KEY_FILE cannot be read (ENOENT)',
    );
    expect(() => loadConfig({ SECRET_KEY_FILE: writeSetting('\n') })).toThrow(
      'SECRET_KEY_FILE is an empty file',
    );
    expect(() => loadConfig({ SECRET_KEY_FILE: folder })).toThrow(
      'SECRET_KEY_FILE cannot be read (EISDIR)',
    );
  });

  it('reads no file for variables of other programs', () => {
    expect(() => loadConfig({ SSL_CERT_FILE: join(folder, 'missing') })).not.toThrow();
  });

  it('finds SMTP_FROM in its file', () => {
    const from = writeSetting('steward@example.com');
    const config = loadConfig({ SMTP_URL: 'smtp://mail.example.com', SMTP_FROM_FILE: from });
    expect(config.smtp?.from).toBe('steward@example.com');
  });
});
