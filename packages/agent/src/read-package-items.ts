import {
  INSTALL_ITEMS_MAX,
  InstallItem,
  Package,
  type RestoreItem,
  UPDATE_ITEMS_MAX,
} from '@steward/contract';
import Value from 'typebox/value';
import { isRecord, readItems, SLUG_PATTERNS } from './read-update-items.ts';
import { SiteError } from './site-error.ts';

/** The slug of an item in the public directory of a CMS. */
const DIRECTORY_SLUG = /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]*$/;

export function readInstallItems(body: unknown): InstallItem[] {
  return readItems(readList(body), INSTALL_ITEMS_MAX, findInstallProblem).map((item) => {
    const { type, slug, version, package: source } = item as InstallItem;
    return { type, slug, version, ...(source && { package: source }) };
  });
}

export function readRestoreItems(body: unknown): RestoreItem[] {
  const findRestoreProblem = (item: unknown) =>
    findProblem(item, (type, slug) => SLUG_PATTERNS[type].test(slug));
  return readItems(readList(body), UPDATE_ITEMS_MAX, findRestoreProblem).map((item) => {
    const { type, slug, version } = item as RestoreItem;
    return { type, slug, version };
  });
}

function readList(body: unknown): unknown {
  if (!isRecord(body)) throw new SiteError('invalid_request', 'The body is not a JSON object.');
  return body.items;
}

function findInstallProblem(item: unknown): string | null {
  const hasPackage = isRecord(item) && item.package !== undefined;
  const problem = findProblem(item, (type, slug) =>
    hasPackage ? SLUG_PATTERNS[type].test(slug) : DIRECTORY_SLUG.test(slug),
  );
  if (problem || !hasPackage) return problem;
  const isValid = Value.Check(Package, item.package) && isHttpUrl(item.package.url);
  return isValid ? null : 'has an invalid package. Send url, sha256 and size.';
}

function findProblem(
  item: unknown,
  isValidSlug: (type: 'plugin' | 'theme', slug: string) => boolean,
): string | null {
  if (!isRecord(item)) return 'is not an object.';
  const { type, slug, version } = item;
  const { slug: Slug, version: Version } = InstallItem.properties;
  if (type !== 'plugin' && type !== 'theme') {
    return 'has an unknown type. Use plugin or theme.';
  }
  if (!Value.Check(Slug, slug) || !isValidSlug(type, slug)) return 'has an invalid slug.';
  return Value.Check(Version, version) ? null : 'has an invalid version.';
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
