import {
  type ChangeTagsRequest,
  type ChangeTagsResponse,
  ERROR_CODES,
  TAG_MAX_LENGTH,
  TAGS_PER_SITE,
} from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
import type { AuditService } from '../audit/index.ts';
import { isVisibleTo, type Viewer } from '../site-access/index.ts';
import {
  addTags,
  countAllTags,
  countGrantedTags,
  ensureTags,
  lockSites,
  removeTags,
  tagsOfSites,
} from './tags.repository.ts';

/** Words on sites. `Shop` and `shop` are one tag, spelled as it was first. */
export type TagService = {
  list(user: Viewer): Promise<{ name: string; sites: number }[]>;
  /** These and no others; gives them as they are spelled. */
  set(user: Viewer, siteId: number, tags: string[], origin: Origin): Promise<string[]>;
  change(user: Viewer, request: ChangeTagsRequest, origin: Origin): Promise<ChangeTagsResponse>;
};

type Dependencies = { db: Database; audit: AuditService };

const key = (tag: string) => tag.toLowerCase();

export function createTagService({ db, audit }: Dependencies): TagService {
  return {
    list: (user) => (user.role === 'owner' ? countAllTags(db) : countGrantedTags(db, user.id)),

    set: (user, siteId, tags, origin) =>
      db.transaction().execute(async (trx) => {
        const wanted = tagNames('tags', tags);
        const [found] = await lockSites(trx, isVisibleTo(user, 's'), [siteId]);
        if (found === undefined) throw new AppError('site_not_found');
        const before = (await tagsOfSites(trx, [siteId])).get(siteId) ?? [];
        const keys = new Set(wanted.map(key));
        const remove = before.filter((tag) => !keys.has(key(tag)));
        const changes = await apply(trx, [siteId], { add: wanted, remove }, origin);
        return changes.after.get(siteId) ?? [];
      }),

    change: ({ id, role }, request, origin) =>
      db.transaction().execute(async (trx) => {
        const add = tagNames('add', request.add ?? []);
        const remove = tagNames('remove', request.remove ?? []);
        assertApart(add, remove);
        const asked = [...new Set(request.site_ids)];
        const visible = await lockSites(trx, isVisibleTo({ id, role }, 's'), asked);
        const full = await tooFull(trx, visible, add, remove);
        const changing = visible.filter((siteId) => !full.has(siteId));
        const { changed } = await apply(trx, changing, { add, remove }, origin);
        const refused = [
          ...refusals('site_not_found', without(asked, new Set(visible))),
          ...refusals('too_many_tags', [...full]),
        ];
        return { success: refused.length === 0, changed, refused };
      }),
  };

  async function apply(
    trx: Trx,
    siteIds: number[],
    { add, remove }: { add: string[]; remove: string[] },
    origin: Origin,
  ) {
    const before = await tagsOfSites(trx, siteIds);
    if (remove.length > 0) await removeTags(trx, siteIds, remove);
    if (add.length > 0) {
      await ensureTags(trx, add);
      await addTags(trx, siteIds, add);
    }
    const after = await tagsOfSites(trx, siteIds);
    const records = siteIds.flatMap((siteId) => recordOf(siteId, before, after));
    await audit.record(trx, origin, records);
    return { after, changed: records.length };
  }
}

type TagsOf = Map<number, string[]>;

/** What stays as it is leaves no record. */
function recordOf(siteId: number, before: TagsOf, after: TagsOf) {
  const [had, has] = [new Set(before.get(siteId)), new Set(after.get(siteId))];
  const added = [...has].filter((tag) => !had.has(tag));
  const removed = [...had].filter((tag) => !has.has(tag));
  if (added.length + removed.length === 0) return [];
  const context = { added, removed };
  return [{ action: 'tag', entityType: 'site', entityId: siteId, siteId, context }];
}

/** The sites that would have more tags than a site can have. */
async function tooFull(trx: Trx, siteIds: number[], add: string[], remove: string[]) {
  const gone = new Set(remove.map(key));
  const tags = await tagsOfSites(trx, siteIds);
  const count = (siteId: number) => {
    const kept = (tags.get(siteId) ?? []).map(key).filter((tag) => !gone.has(tag));
    return new Set([...kept, ...add.map(key)]).size;
  };
  return new Set(add.length === 0 ? [] : siteIds.filter((id) => count(id) > TAGS_PER_SITE));
}

/** Trimmed, each once however it is spelled, and of a form that can be shown and typed again. */
function tagNames(field: string, tags: string[]): string[] {
  const names = new Map<string, string>();
  for (const text of tags) {
    const name = text.trim();
    const length = [...name].length;
    if (length < 1 || length > TAG_MAX_LENGTH || /\p{Cc}/u.test(name)) {
      throw new AppError('invalid_request', {
        message: `${field} must hold tags of 1 to ${TAG_MAX_LENGTH} characters without line breaks.`,
      });
    }
    if (!names.has(key(name))) names.set(key(name), name);
  }
  return [...names.values()];
}

function assertApart(add: string[], remove: string[]): void {
  const removed = new Set(remove.map(key));
  const both = add.find((tag) => removed.has(key(tag)));
  if (both === undefined && add.length + remove.length > 0) return;
  throw new AppError('invalid_request', {
    message:
      both === undefined
        ? 'add or remove must name a tag.'
        : `add and remove both name ${both}. Choose one of them.`,
  });
}

function without(ids: number[], taken: Set<number>): number[] {
  return ids.filter((id) => !taken.has(id));
}

function refusals(code: 'site_not_found' | 'too_many_tags', siteIds: number[]) {
  return siteIds.map((site_id) => ({ site_id, code, error: ERROR_CODES[code].message }));
}
