import type { UpdateItem } from '@steward/contract';

const item = (type: UpdateItem['type'], slug: string, version?: string): UpdateItem => ({
  type,
  slug,
  ...(version && { version }),
});

/** Items of a request to update. Without a version, any offered version is installed. */
export const plugin = (slug: string, version?: string) => item('plugin', slug, version);
export const theme = (slug: string, version?: string) => item('theme', slug, version);
