import { useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { describe, expect, it } from 'vitest';

describe('npx steward site', () => {
  const { steward, json, createLicense, activate } = useCommandLine();

  it('shows the state of a site, by any form of its address', async () => {
    const { license_key } = await createLicense();
    const { site_id } = await activate(license_key, 'https://shop.example.com');
    const { stdout } = await steward('site', 'status', 'shop.example.com/');
    expect(stdout).toContain('https://shop.example.com: not checked in the last two hours');
    expect(stdout).toContain('Last check: never');
    expect(await json('site', 'status', 'https://shop.example.com')).toMatchObject({
      site_id,
      state: null,
      outages: [],
    });
  });

  it.each(['https://unknown.example.com', 'not an address'])('does not know %s', async (url) => {
    const { code, stderr } = await steward('site', 'status', url);
    expect([code, stderr]).toEqual([1, 'steward: There is no such site.\n']);
  });
});
