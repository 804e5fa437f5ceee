import {
  type ChangeTagsRequest,
  type ChangeTagsResponse,
  ERROR_CODES,
  TAG_MAX_LENGTH,
  TAGS_PER_SITE_MAX,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { AuditService } from '../audit/index.ts';
import { type CurrentUser, isVisibleTo, listUsersOfTags, scopeOf } from '../site-access/index.ts';
import { assertMayChangeAccess } from './assert-may-change-access.ts';
import {
  addTags,
  countTags,
  insertMissingTags,
  lockSites,
  readTags,
  removeTags,
} from './tags.repository.ts';

/** Tags ignore case: `Shop` and `shop` are one tag, with the spelling used first. */
export type TagService = {
  list(user: CurrentUser): Promise<{ name: string; sites: number }[]>;
  /** Returns the tags with their stored spelling. */
  replaceTags(
    user: CurrentUser,
    siteId: number,
    tags: string[],
    origin: AuditOrigin,
  ): Promise<string[]>;
  addAndRemoveTags(
    user: CurrentUser,
    request: ChangeTagsRequest,
    origin: AuditOrigin,
  ): Promise<ChangeTagsResponse>;
};

type Dependencies = { db: Database; audit: AuditService; clock: Clock };

const normalizeTag = (tag: string) => tag.toLowerCase();

export function createTagService({ db, audit, clock }: Dependencies): TagService {
  return {
    list: (user) => countTags(db, scopeOf(user)),

    replaceTags: (user, siteId, tags, origin) =>
      db.transaction().execute(async (trx) => {
        const names = parseTagNames('tags', tags);
        const [lockedId] = await lockSites(trx, isVisibleTo(user, 's'), [siteId]);
        if (lockedId === undefined) throw new AppError('site_not_found');
        const currentTags = (await readTags(trx, [siteId])).get(siteId) ?? [];
        const keptTags = new Set(names.map(normalizeTag));
        const remove = currentTags.filter((tag) => !keptTags.has(normalizeTag(tag)));
        const { after } = await applyChange(trx, user, [siteId], { add: names, remove }, origin);
        return after.get(siteId) ?? [];
      }),

    addAndRemoveTags: (user, request, origin) =>
      db.transaction().execute(async (trx) => {
        const add = parseTagNames('add', request.add ?? []);
        const remove = parseTagNames('remove', request.remove ?? []);
        assertValidChange(add, remove);
        const requestedIds = [...new Set(request.site_ids)];
        const visibleIds = await lockSites(trx, isVisibleTo(user, 's'), requestedIds);
        const overLimitIds = await findSitesOverTagLimit(trx, visibleIds, add, remove);
        const idsToChange = visibleIds.filter((siteId) => !overLimitIds.has(siteId));
        const { changed } = await applyChange(trx, user, idsToChange, { add, remove }, origin);
        const refused = [
          ...toRefusals('site_not_found', exclude(requestedIds, new Set(visibleIds))),
          ...toRefusals('too_many_tags', [...overLimitIds]),
        ];
        return { success: refused.length === 0, changed, refused };
      }),
  };

  async function applyChange(
    trx: Trx,
    user: CurrentUser,
    siteIds: number[],
    { add, remove }: { add: string[]; remove: string[] },
    origin: AuditOrigin,
  ) {
    const before = await readTags(trx, siteIds);
    // New tags first: a change of `site_tags` takes a lock for which another change with the same new tag may wait.
    if (add.length > 0) await insertMissingTags(trx, add);
    if (remove.length > 0) await removeTags(trx, siteIds, remove);
    if (add.length > 0) await addTags(trx, siteIds, add);
    const after = await readTags(trx, siteIds);
    const records = siteIds.flatMap((siteId) => toTagRecords(siteId, before, after));
    const changed = records.flatMap(({ context }) => [...context.added, ...context.removed]);
    await assertMayChangeAccess(
      trx,
      () => listUsersOfTags(trx, [...new Set(changed)]),
      (tag) => `add or remove the tag ${tag}`,
      { user, origin, now: clock.now() },
    );
    await audit.record(trx, origin, records);
    return { after, changed: records.length };
  }
}

type TagsBySite = Map<number, string[]>;

/** A site whose tags do not change gets no audit record. */
function toTagRecords(siteId: number, before: TagsBySite, after: TagsBySite) {
  const [tagsBefore, tagsAfter] = [new Set(before.get(siteId)), new Set(after.get(siteId))];
  const added = [...tagsAfter].filter((tag) => !tagsBefore.has(tag));
  const removed = [...tagsBefore].filter((tag) => !tagsAfter.has(tag));
  if (added.length + removed.length === 0) return [];
  const context = { added, removed };
  return [{ action: 'tag', entityType: 'site', entityId: siteId, siteId, context } as const];
}

async function findSitesOverTagLimit(trx: Trx, siteIds: number[], add: string[], remove: string[]) {
  const removed = new Set(remove.map(normalizeTag));
  const tags = await readTags(trx, siteIds);
  const countAfterChange = (siteId: number) => {
    const kept = (tags.get(siteId) ?? []).map(normalizeTag).filter((tag) => !removed.has(tag));
    return new Set([...kept, ...add.map(normalizeTag)]).size;
  };
  return new Set(
    add.length === 0 ? [] : siteIds.filter((id) => countAfterChange(id) > TAGS_PER_SITE_MAX),
  );
}

/** Trims the names, removes duplicates that differ only in case, and rejects invalid names. */
function parseTagNames(field: string, tags: string[]): string[] {
  const names = new Map<string, string>();
  for (const text of tags) {
    const name = text.trim();
    const length = [...name].length;
    if (length < 1 || length > TAG_MAX_LENGTH || /\p{Cc}/u.test(name)) {
      throw new AppError('invalid_request', {
        message: `${field} must contain tags of 1 to ${TAG_MAX_LENGTH} characters without line breaks.`,
      });
    }
    if (!names.has(normalizeTag(name))) names.set(normalizeTag(name), name);
  }
  return [...names.values()];
}

function assertValidChange(add: string[], remove: string[]): void {
  const removed = new Set(remove.map(normalizeTag));
  const duplicate = add.find((tag) => removed.has(normalizeTag(tag)));
  if (duplicate === undefined && add.length + remove.length > 0) return;
  throw new AppError('invalid_request', {
    message:
      duplicate === undefined
        ? '`add` or `remove` must contain at least one tag.'
        : `\`add\` and \`remove\` both contain ${duplicate}. Send it in one of them only.`,
  });
}

function exclude(ids: number[], excluded: Set<number>): number[] {
  return ids.filter((id) => !excluded.has(id));
}

function toRefusals(code: 'site_not_found' | 'too_many_tags', siteIds: number[]) {
  return siteIds.map((site_id) => ({ site_id, code, error: ERROR_CODES[code].message }));
}
