import type { DemoState } from './folder.ts';

export type PluginUpdate = {
  name: string;
  /** PHP code of the new version. */
  body?: string;
};

/** The sites added by --wordpress. */
export const WORDPRESS_SITES: { host: string; title: string; plugins: PluginUpdate[] }[] = [
  {
    host: 'orchard-press.localhost',
    title: 'Orchard Press',
    plugins: [{ name: 'reading-time' }, { name: 'related-posts' }],
  },
  {
    host: 'kestrel-cycles.localhost',
    title: 'Kestrel Cycles',
    // The new version of price-table makes every page fail.
    plugins: [{ name: 'size-guide' }, { name: 'price-table', body: 'no_such_function();' }],
  },
];

/** The WordPress sites use the ports after the other sites. */
export const wordpressPort = (index: number, { port, sites }: DemoState): number =>
  port + 1 + sites + index;
