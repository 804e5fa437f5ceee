import {
  CheckedPages,
  OutsideCheckRequest,
  PAGE_DETAIL_MAX_LENGTH,
  PAGE_DIFFERENCES_MAX,
  PAGE_NAME_MAX_LENGTH,
  PAGES_REASON_MAX_LENGTH,
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
 * with it. Long texts and lists are cut, because a difference decides whether the change is trouble.
 */
export function readCheckedPages(given: unknown, serviceKey: string): CheckedPages | undefined {
  const json = cutToLimits(given);
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

function cutToLimits(given: unknown): unknown {
  if (!isObject(given)) return given;
  return {
    ...given,
    ...('reason' in given && { reason: cut(given.reason, PAGES_REASON_MAX_LENGTH) }),
    ...('differences' in given && { differences: cutDifferences(given.differences) }),
    ...('notes' in given && { notes: cutDifferences(given.notes) }),
  };
}

function cutDifferences(given: unknown): unknown {
  if (!Array.isArray(given)) return given;
  return given.slice(0, PAGE_DIFFERENCES_MAX).map((difference: unknown) =>
    isObject(difference)
      ? {
          ...difference,
          page: cut(difference.page, PAGE_NAME_MAX_LENGTH),
          ...('detail' in difference && { detail: cut(difference.detail, PAGE_DETAIL_MAX_LENGTH) }),
        }
      : difference,
  );
}

const isObject = (given: unknown): given is Record<string, unknown> =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

const cut = (text: unknown, maxLength: number) =>
  typeof text === 'string' && text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;

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
