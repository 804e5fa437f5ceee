import { join } from 'node:path';
import type { ItemRefusal } from '@steward/contract';
import { PackageRejected } from '../../platform.ts';
import { getErrorMessage } from '../../update-item.ts';
import type { FeedSource } from './feed.ts';
import { type UnpackLimits, unpack } from './unpack.ts';

/**
 * Downloads and unpacks a package into the staging folder. A failure throws `PackageRejected` and leaves the site
 * unchanged.
 */
export async function stagePackage(
  feed: FeedSource,
  { name, staging, limits }: { name: string; staging: string; limits: UnpackLimits },
): Promise<string> {
  const zip = join(staging, 'package.zip');
  const unpacked = join(staging, 'unpacked');
  await feed.fetchPackage(name, zip).catch(rejectWith('download_failed'));
  await unpack(zip, unpacked, limits).catch(rejectWith('package_rejected'));
  return unpacked;
}

const rejectWith = (code: ItemRefusal) => (cause: unknown) => {
  throw new PackageRejected(getErrorMessage(cause), { cause, code });
};
