import { count } from '../lib/format.ts';
import type { DescribedRecord, Names } from './audit-sentence-types.ts';

/** Parts of sentences that several subjects use. */

export const userOf = ({ entity_id }: DescribedRecord, names: Names): string =>
  entity_id === undefined ? 'a user' : (names.user(entity_id) ?? `user ${entity_id}`);

export const siteOf = ({ site_id, entity_id, context }: DescribedRecord, names: Names): string =>
  names.site(site_id) ?? text(context.site_url) ?? `site ${site_id ?? entity_id ?? ''}`.trim();

/** "license Care (…CKDZX9)" */
export const licenseOf = (id: unknown, names: Names): string =>
  `license ${names.license(id) ?? id ?? ''}`.trim();

/** "client Acme". The history of a site does not name clients that the user may not see. */
export const clientOf = (client: unknown): string => {
  const name = text((client as { name?: unknown } | null)?.name);
  return name === undefined ? 'another client' : `client ${name}`;
};

export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const sites = (value: unknown): string => count(Number(value ?? 0), 'site');
