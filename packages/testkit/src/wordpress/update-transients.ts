import { isNewerVersion } from '@steward/contract';
import { PhpObject, type PhpValue } from './php-serialize.ts';
import type { Offer, Offers } from './site-folder.ts';

type Versions = Record<string, string>;
type Describe = (name: string, offer: Offer) => PhpValue;

export type Installed = { plugins: Versions; themes: Versions; core: string };

/** Returns the transients that WordPress 6.1 stores after an update check, by name. */
export function updateTransients(
  offers: Offers,
  installed: Installed,
  nowSeconds: number,
): Record<'update_plugins' | 'update_themes' | 'update_core', PhpObject> {
  return {
    update_plugins: new PhpObject({
      last_checked: nowSeconds,
      ...splitOffers(offers.plugins, installed.plugins, pluginUpdate),
      translations: [],
      checked: installed.plugins,
    }),
    update_themes: new PhpObject({
      last_checked: nowSeconds,
      checked: installed.themes,
      ...splitOffers(offers.themes, installed.themes, themeUpdate),
      translations: [],
    }),
    update_core: new PhpObject({
      updates: [coreUpdate(offers.core, installed.core)],
      last_checked: nowSeconds,
      version_checked: installed.core,
      translations: [],
    }),
  };
}

function splitOffers(offers: Record<string, Offer>, installed: Versions, describe: Describe) {
  const response: Record<string, PhpValue> = {};
  const no_update: Record<string, PhpValue> = {};
  for (const [name, offer] of Object.entries(offers)) {
    const current = installed[name];
    if (current === undefined) continue;
    const list = isNewerVersion(offer.version, current) ? response : no_update;
    list[name] = describe(name, offer);
  }
  return { response, no_update };
}

const pluginUpdate: Describe = (file, offer) => {
  const slug = file.includes('/') ? file.replace(/\/.*/, '') : file.replace(/\.php$/, '');
  return new PhpObject({
    id: `w.org/plugins/${slug}`,
    slug,
    plugin: file,
    new_version: offer.version,
    url: `https://wordpress.org/plugins/${slug}/`,
    package: offer.package,
    icons: [],
    banners: [],
    banners_rtl: [],
    requires: '6.0',
    tested: '6.1',
    requires_php: '7.4',
    ...offer.requirements,
  });
};

const themeUpdate: Describe = (slug, offer) => ({
  theme: slug,
  new_version: offer.version,
  url: `https://wordpress.org/themes/${slug}/`,
  package: offer.package,
  requires: '6.0',
  requires_php: '7.4',
  ...offer.requirements,
});

function coreUpdate(offer: Offer | null, current: string): PhpObject {
  const isNewer = offer !== null && isNewerVersion(offer.version, current);
  const version = isNewer ? offer.version : current;
  const full = isNewer ? offer.package : '';
  return new PhpObject({
    response: isNewer ? 'upgrade' : 'latest',
    download: full,
    locale: 'en_US',
    packages: new PhpObject({
      full,
      no_content: full,
      new_bundled: '',
      partial: '',
      rollback: '',
    }),
    current: version,
    version,
    php_version: '5.6.20',
    mysql_version: '5.0',
    new_bundled: '6.1',
    partial_version: '',
  });
}
