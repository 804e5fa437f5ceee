import { dirname, join } from 'node:path';
import { isSameVersion } from '@steward/contract';
import { type NewItem, PackageRejected } from '../../platform.ts';
import { getErrorMessage } from '../../update-item.ts';
import { type Headers, readHeaders } from './headers.ts';
import { type UnpackLimits, unpack } from './unpack.ts';

/** The limits for the package of a new item. A package above the ratio is a zip bomb. */
export const NEW_ITEM_LIMITS: UnpackLimits = {
  maxBytes: 256 * 1024 * 1024,
  maxFiles: 20_000,
  maxRatio: 100,
};

/** Returns the path of the main file below `plugins` or `themes`. The slug of a plugin is already this path. */
export const getMainFileName = (kind: NewItem['kind'], slug: string) =>
  kind === 'plugin' ? slug : join(slug, 'style.css');

/** Unpacks a new item and checks that it is the requested one. Returns its headers and its unpacked folder or file. */
export async function unpackNewItem(
  { kind, slug, version, zip }: NewItem & { zip: string },
  target: string,
  limits = NEW_ITEM_LIMITS,
): Promise<{ path: string; headers: Headers }> {
  await unpack(zip, target, limits).catch((cause) => {
    throw new PackageRejected(getErrorMessage(cause), { cause });
  });
  const file = join(target, getMainFileName(kind, slug));
  const headers = await readHeaders(file);
  if (!headers) throw new PackageRejected(`The package does not contain the ${kind} ${slug}.`);
  if (!isSameVersion(headers.version, version)) {
    throw new PackageRejected(
      `The package contains version ${headers.version} instead of version ${version}.`,
    );
  }
  const path = kind === 'plugin' && !slug.includes('/') ? file : dirname(file);
  return { path, headers };
}
