import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { steward } from '@steward/testkit/panel/steward-command.ts';
import { VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { temporaryFolder } from '@steward/testkit/temporary-folder.ts';
import { describe, expect, it } from 'vitest';

describe('the data directory', () => {
  it('contains no license key, password or token in plain text: tables, indexes, WAL and logs', async () => {
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
      const request = {
        license_key,
        site_url: `https://${license_key.slice(-6)}.example.com`,
        ...VERSIONS,
      };
      const { body } = await panel.post('/api/v1/license/activate', request);
      const activation_token = String(body.activation_token);
      await panel.post('/api/v1/license/check', { ...request, activation_token });
      await panel.post('/api/v1/site/verify', { ...request, activation_token });
      await panel.post('/api/v1/license/check', { ...request, activation_token: 'wrong' });
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
    // Proves that the search works: it finds text that is stored unencrypted.
    expect(contents.some((content) => content.includes('.EXAMPLE.COM'))).toBe(true);
    for (const secret of secretTexts) {
      expect(contents.some((content) => content.includes(secret.toUpperCase()))).toBe(false);
    }
    expect(panel.output.stderr.length).toBeGreaterThan(0);
    for (const secret of secretTexts) expect(panel.output.stderr).not.toContain(secret);
  });
});
