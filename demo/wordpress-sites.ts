import { SITES } from './fleet.ts';

export type PluginUpdate = {
  name: string;
  /** PHP in the new version. */
  body?: string;
};

/** The sites that --wordpress adds. */
export const WORDPRESS_SITES: { host: string; title: string; plugins: PluginUpdate[] }[] = [
  {
    host: 'orchard-press.localhost',
    title: 'Orchard Press',
    plugins: [{ name: 'reading-time' }, { name: 'related-posts' }],
  },
  {
    host: 'kestrel-cycles.localhost',
    title: 'Kestrel Cycles',
    // The new version of the second ends every page with an error.
    plugins: [{ name: 'size-guide' }, { name: 'price-table', body: 'no_such_function();' }],
  },
];

/** Behind the ports of the other sites. */
export function wordpressPort(index: number, firstPort: number): number {
  return firstPort + 1 + SITES.length + index;
}
