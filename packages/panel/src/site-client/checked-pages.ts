import {
  CheckedPages,
  OutsideCheckRequest,
  type PageDifference,
  resolvePagePath,
} from '@steward/contract';
import { Compile } from 'typebox/compile';
import { plainName, plainText } from './plain-text.ts';

const checkedPages = Compile(CheckedPages);
const outsideCheck = Compile(OutsideCheckRequest);
const ANY_HOME = new URL('https://site.invalid/');

/**
 * Reads how far a site has checked its pages. Undefined if the field is malformed: the result of the change must not be lost
 * with it.
 */
export function readCheckedPages(json: unknown, serviceKey: string): CheckedPages | undefined {
  if (!checkedPages.Check(json)) return undefined;
  const { pages_planned, pages_compared, reason, differences, notes } = json;
  const clean = ({ page, kind, percent, detail }: PageDifference): PageDifference => ({
    page: plainName(page, serviceKey),
    kind: plainName(kind, serviceKey),
    ...(percent !== undefined && { percent }),
    ...(detail !== undefined && { detail: plainText(detail, serviceKey) }),
  });
  return {
    pages_planned,
    // A site cannot have compared more than it planned.
    pages_compared: Math.min(pages_compared, pages_planned),
    ...(reason !== undefined && { reason: plainText(reason, serviceKey) }),
    ...(differences && { differences: differences.map(clean) }),
    ...(notes && { notes: notes.map(clean) }),
  };
}

/** Reads the further fields of the refusal `outside_look_needed`. A malformed field, or a page elsewhere, is left out. */
export function readOutsideCheck(json: object, serviceKey: string): OutsideCheckRequest {
  const fields = { pages: undefined, pages_planned: undefined, reason: undefined, ...json };
  const read = (field: keyof OutsideCheckRequest): OutsideCheckRequest => {
    const only = { [field]: fields[field] };
    return outsideCheck.Check(only) ? only : {};
  };
  const { pages } = read('pages');
  const { pages_planned } = read('pages_planned');
  const { reason } = read('reason');
  const allowed = pages?.filter(({ path }) => resolvePagePath(ANY_HOME, path) !== null);
  return {
    ...(allowed && { pages: allowed.map(({ page, path }) => ({ page, path })) }),
    ...(pages_planned !== undefined && { pages_planned }),
    ...(reason !== undefined && { reason: plainText(reason, serviceKey) }),
  };
}
