import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { describe, expect, it } from 'vitest';

describe('npx steward site status', () => {
  const { steward, json, createLicense, activate } = useCommandLine();

  it('shows the state of a site, by any form of its address', async () => {
    const { license_key } = await createLicense();
    const { site_id } = await activate(license_key, 'https://shop.example.com');
    const { stdout } = await steward('site', 'status', 'shop.example.com/');
    expect(stdout).toContain('https://shop.example.com: not checked yet.');
    expect(stdout).toContain('Last check: never');
    expect(await json('site', 'status', 'https://shop.example.com')).toMatchObject({
      site_id,
      state: null,
      outages: [],
    });
  });

  it('finds an address with other characters than ASCII in each spelling', async () => {
    const { license_key } = await createLicense();
    const unicode = await activate(license_key, 'https://bücher.example/büro');
    const ascii = await activate(license_key, 'https://xn--caf-dma.example');
    for (const [address, { site_id }] of [
      ['bücher.example/büro', unicode],
      ['https://www.BÜCHER.example/b%C3%BCro/', unicode],
      ['xn--bcher-kva.example/büro', unicode],
      ['café.example', ascii],
      ['xn--caf-dma.example', ascii],
    ] as const) {
      expect([address, await json('site', 'status', address)]).toMatchObject([
        address,
        { site_id },
      ]);
    }
    expectFailure(await steward('site', 'status', 'bücher.example'), /no site xn--bcher-kva/);
  });

  it('shows the connected site of two with the same address', async () => {
    const url = 'https://moved.example.com';
    const [old, current] = [await createLicense(), await createLicense()];
    const moved = await activate(current.license_key, url);
    const left = await activate(old.license_key, url);
    await json('license', 'release', String(old.id), String(left.site_id));
    expect(await json('site', 'status', url)).toMatchObject({ site_id: moved.site_id });
    expect(await json('site', 'show', url)).toMatchObject({ id: moved.site_id, url });
  });

  it('fails for an address without a site, and for an unknown id', async () => {
    const unknown = await steward('site', 'status', 'https://unknown.example.com');
    expectFailure(
      unknown,
      /There is no site unknown\.example\.com\. Find its .* list --search unknown\.example\.com/,
    );
    expectFailure(await steward('site', 'status', 'not an address'), /not a valid http/);
    expectFailure(await steward('site', 'status', '99999'), /There is no such site/);
  });
});

describe('npx steward site check-pages', () => {
  const { steward, json, createLicense, activate } = useCommandLine();

  it('sets, shows and removes the pages', async () => {
    const { license_key } = await createLicense();
    const url = 'https://checkout.example.com';
    const { site_id } = await activate(license_key, url);
    const none = await steward('site', 'check-pages', url);
    expect(none.stdout).toContain(`${url}: no marked pages`);
    const set = await steward('site', 'check-pages', url, '/checkout/', '/form/?lang=de');
    expect(set.stdout).toBe('/checkout/\n/form/?lang=de\n');
    expect(await json('site', 'check-pages', String(site_id))).toEqual({
      ...{ site_id, site_url: url },
      checked_pages: ['/checkout/', '/form/?lang=de'],
    });
    expect((await steward('site', 'show', url)).stdout).toContain(
      'Checked pages: /checkout/ /form/?lang=de',
    );
    expectFailure(await steward('site', 'check-pages', url, '/?action=x'), /can change the site/);
    expectFailure(await steward('site', 'check-pages', url, '/', '--none'), /Use either/);
    await steward('site', 'check-pages', url, '--none');
    expect(await json('site', 'check-pages', url)).toMatchObject({ checked_pages: [] });
  });
});

describe('npx steward site preflight', () => {
  const { steward, json, createLicense, activate } = useCommandLine();

  it('prints why updates of a site would fail', async () => {
    const { id, license_key } = await createLicense();
    const url = 'https://shop.example.com/blog';
    const { site_id } = await activate(license_key, url);
    expect(await json('site', 'preflight', 'shop.example.com/blog/')).toMatchObject({
      groups: [],
      unchecked: { count: 1, sites: [{ id: site_id, reason: 'report_missing' }] },
    });
    await json('license', 'suspend', String(id));
    const { stdout } = await steward('site', 'preflight', url);
    expect(stdout).toMatch(
      /^SITE +UPDATES +REASON\nshop\.example\.com\/blog +would fail +This site/,
    );
    await json('license', 'resume', String(id));
    expect((await steward('site', 'preflight', url)).stdout).toContain(
      'no backup    The site has reported no full backup.',
    );
    expect((await steward('site', 'show', url)).stdout).toContain('Last full backup: not known');
    expect((await steward('site', 'list')).stdout).toMatch(/LAST BACKUP.*\n.* not known/);
  });

  it('fails for an address without a site', async () => {
    expectFailure(await steward('site', 'preflight', 'gone.example.com'), /no site gone\.example/);
    expectFailure(await steward('site', 'preflight', 'https://'), /not a valid http/);
    expectFailure(await steward('site', 'preflight'), /'site'/);
  });
});
