import { createHash } from 'node:crypto';
import { generateLicenseKey } from '@steward/contract';

/** How sites are spread over licenses. */
export type Shape = { name: string; sitesPerLicense: number };

export const SHAPES: Shape[] = [
  { name: '10', sitesPerLicense: 10 },
  { name: '200', sitesPerLicense: 200 },
  { name: '10000', sitesPerLicense: 10_000 },
  { name: 'all', sitesPerLicense: Number.POSITIVE_INFINITY },
];

/** The licenses of a filled database. The sites of a license are not neighbours in the tables, as in production. */
export type Scale = { sites: number; licenses: number };

export const scaleOf = (sites: number, { sitesPerLicense }: Shape): Scale => ({
  sites,
  licenses: Math.max(1, Math.floor(sites / sitesPerLicense)),
});

export const licenseOf = (site: number, { licenses }: Scale): number => site % licenses;

export const hostOf = (site: number): string => `site-${site}.example.com`;

/** Derives the key from the number of the license, so that a kept database needs no file with keys. */
export function licenseKey(license: number): string {
  let draw = 0;
  return generateLicenseKey((count) =>
    createHash('sha512').update(`bench ${license} ${draw++}`).digest().subarray(0, count),
  );
}

export const VERSIONS = { cms_version: '6.6.2', php_version: '8.3.12', plugin_version: '1.4.0' };

export const INVENTORY = {
  plugins: ['forms', 'shop', 'cache'].map((slug) => ({
    plugin: `${slug}/${slug}.php`,
    name: `The ${slug}`,
    version: '1.0',
    active: true,
  })),
  themes: [{ slug: 'plain', name: 'Plain', version: '1.0', active: true }],
  core: { version: '6.6.2' },
};
