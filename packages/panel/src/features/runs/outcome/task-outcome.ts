import {
  type AuditAction,
  type BulkUpdateResponse,
  type CheckedPagesText,
  describeCheckedPages,
  ERROR_CODES,
  type ItemUpdateResult,
  type PageCheck,
  type RunKind,
  type SiteFailureCode,
} from '@steward/contract';
import { mayHaveActed, type SiteOutcome, type SiteResponse } from '../../../site-client/index.ts';
import type { AuditEntry } from '../../audit/index.ts';
import type { TaskHealth } from '../../health/index.ts';
import type { RunItem, RunRequest, TaskStatus } from '../tables.ts';
import { markOtherVersions } from './other-versions.ts';
import { truncateDetails } from './stored-details.ts';
import { listItems, toAuditedItems } from './updated-items.ts';

/** The result of a task. Its status is `unknown` while the outcome of a lost call is not known. */
export type TaskResult = {
  status: Exclude<TaskStatus, 'queued' | 'running'>;
  http_status: number | null;
  code: string | null;
  error: string | null;
  /** As stored: truncated if too large. */
  details: BulkUpdateResponse | null;
  /** Counts all items of the response, including those that `details` omits. */
  counts?: ItemCounts;
  /** Further sentences for the user. */
  notes?: string[];
  /** How many pages were compared with their state before the change. Absent: not known. */
  pages_compared?: number;
  pages_planned?: number | null;
  /** Whether a byte of the request may have reached the site. */
  sent: boolean;
  /** The observation after an update; absent if the site was not observed. */
  health?: TaskHealth;
  /** Whether the site has responded since the response was lost. */
  hasRespondedSince?: true;
};

/** Converts the outcome of a call into the result of its task. `items`: the items that the call named. */
export function toTaskResult(
  outcome: SiteOutcome<SiteResponse>,
  items: RunItem[] | null,
): TaskResult {
  if (outcome.kind === 'answered')
    return resultFromBody(outcome.httpStatus, outcome.body, items, outcome.pageCheck);
  const { httpStatus: http_status, code, error } = outcome;
  const sent = outcome.kind === 'failed' ? outcome.sent : true;
  const problem = { http_status, code, error, details: null, sent };
  if (outcome.kind === 'busy' || !mayHaveActed(outcome)) return { ...problem, status: 'failed' };
  const isRefused = outcome.kind === 'refused';
  return { ...problem, status: 'unknown', ...(isRefused && { code: 'action_failed' }) };
}

export function resultFromBody(
  httpStatus: number | null,
  body: SiteResponse,
  requested: RunItem[] | null = null,
  pageCheck?: PageCheck,
): TaskResult {
  const base = { http_status: httpStatus, code: null, error: null, sent: true };
  if ('results' in body) {
    const { body: marked, notes: otherVersions } = markOtherVersions(body, requested);
    const items = listItems(body).filter(({ success }) => success);
    const isVerified = items.every(({ verified = true }) => verified);
    return addCheckedPages(
      { ...base, status: statusOfUpdate(body), details: truncateDetails(marked) },
      { checked: pageCheck ?? body.checked, isVerified, otherVersions },
      { counts: countItems(marked) },
    );
  }
  if (!('plugin' in body)) return { ...base, status: 'succeeded', details: null };
  const { verified = true, warnings = [], new_plugin, other_version } = body;
  const movedNotes =
    new_plugin === undefined ? [] : [`The main file of the plugin is now ${new_plugin}.`];
  const otherVersions = other_version === undefined ? [] : [other_version];
  const result = { ...base, status: 'succeeded', details: null } as const;
  const evidence = { checked: pageCheck ?? body.checked, isVerified: verified, otherVersions };
  return addCheckedPages(result, evidence, { notes: [...movedNotes, ...warnings] });
}

type PageEvidence = {
  checked: PageCheck | undefined;
  /** Whether the site verified every change. */
  isVerified: boolean;
  /** Sentences about versions that the panel did not request. */
  otherVersions: string[];
};

/**
 * Adds how far the pages were checked, which decides whether a change is verified. A failed result keeps its status: the
 * code is then the reason only for items that were changed.
 */
function addCheckedPages(
  result: TaskResult,
  { checked, isVerified, otherVersions }: PageEvidence,
  { notes = [], ...more }: Pick<TaskResult, 'notes' | 'counts'>,
): TaskResult {
  const { code, sentences } = describePages(checked, isVerified);
  const pages = checked && {
    pages_compared: checked.pages_compared,
    pages_planned: checked.pages_planned,
  };
  const described = { ...result, ...more, ...pages };
  if (result.status === 'failed') return { ...described, notes: [...otherVersions, ...notes] };
  // Another version than requested is more serious than a failed item or a page: nothing is known about that version.
  if (otherVersions.length > 0) {
    return {
      ...described,
      status: 'unverified',
      notes: [...otherVersions, ...sentences, ...notes],
    };
  }
  if (result.status === 'partial') return { ...described, code, notes: [...sentences, ...notes] };
  if (code === null) return { ...described, notes: [...sentences, ...notes] };
  const [error = null, ...others] = sentences;
  return { ...described, status: 'unverified', code, error, notes: [...others, ...notes] };
}

/** A site with an older plugin reports only that it could not verify a change. */
function describePages(checked: PageCheck | undefined, isVerified: boolean): CheckedPagesText {
  const text = checked ? describeCheckedPages(checked) : { code: null, sentences: [] };
  if (isVerified || text.code !== null) return text;
  return { code: 'pages_not_checked', sentences: [PAGES_NOT_CHECKED, ...text.sentences] };
}

const PAGES_NOT_CHECKED =
  'The site could not open its own pages to check them. Check that the site works.';

const EMPTY_RESULT = { http_status: null, code: null, error: null, details: null, sent: false };

export function internalErrorResult(): TaskResult {
  const error =
    'Unexpected error in Steward. The site may have changed: sync it. The panel log has the details.';
  return { ...EMPTY_RESULT, status: 'unknown', code: 'internal_error', error, sent: true };
}

/** The result if a user or the panel cancels the task before its call. */
export function cancelledResult(): TaskResult {
  return { ...EMPTY_RESULT, status: 'cancelled' };
}

/** Why a site gets no call. */
export type RefusalCode = Extract<
  SiteFailureCode,
  | 'site_not_found'
  | 'items_unsupported'
  | 'items_not_installed'
  | 'held_version'
  | 'site_plugin_outdated'
  | 'signed_calls_required'
  | 'saved_version_missing'
  | 'already_installed'
  | 'package_not_found'
>;

/** The result if the site is not called at all. */
export function refusedResult(refusal: RefusalCode, details = ''): TaskResult {
  const error = [ERROR_CODES[refusal].message, details].filter(Boolean).join(' ');
  return { ...EMPTY_RESULT, status: 'refused', code: refusal, error };
}

/** The result if the panel must not call the site any more, not even to reconcile a lost call. */
export function siteNotActiveResult({ hasLostCall }: { hasLostCall: boolean }): TaskResult {
  const code = 'site_not_active';
  const { message } = ERROR_CODES[code];
  if (!hasLostCall) return { ...EMPTY_RESULT, status: 'refused', code, error: message };
  const error = `${message} ${CANNOT_RECONCILE}`;
  return { ...EMPTY_RESULT, status: 'unknown', code, error, sent: true };
}

const CANNOT_RECONCILE =
  'The response to the last call was lost, so the site may have changed. Sync it once it is active again.';

/** Depends on the items, not on `errors`, which also lists a report that did not reach the panel. */
function statusOfUpdate(body: BulkUpdateResponse): TaskResult['status'] {
  const items = listItems(body);
  const failed = items.filter(({ success }) => !success);
  if (failed.length === 0) {
    return body.success ? 'succeeded' : 'failed';
  }
  return failed.length < items.length ? 'partial' : 'failed';
}

export type ItemCounts = ReturnType<typeof countItems>;

function countItems({ results: { plugins, themes, core } }: BulkUpdateResponse) {
  const count = (items: Pick<ItemUpdateResult, 'success' | 'old_version' | 'new_version'>[]) => ({
    // An item that already had the requested version succeeds without a change.
    updated: items.filter((item) => item.success && item.old_version !== item.new_version).length,
    failed: items.filter(({ success }) => !success).length,
  });
  return { plugins: count(plugins), themes: count(themes), core: count(core ? [core] : []) };
}

/** The counts of a result without items are zero. */
export function countsOf({ counts }: Pick<TaskResult, 'counts'>): ItemCounts {
  const none = { updated: 0, failed: 0 };
  return counts ?? { plugins: none, themes: none, core: none };
}

type AuditedTask = {
  run_id: number;
  site_id: number;
  kind: RunKind;
  request: RunRequest;
  versions?: PluginVersions | undefined;
};

/** The plugin of an action, according to the reports before and after it. Null: not known. */
export type PluginVersions = {
  name: string | null;
  old_version: string | null;
  new_version: string | null;
};

/** Creates the audit entry for a task and its result. */
export function toAuditEntry(task: AuditedTask, result: TaskResult): AuditEntry {
  const { run_id, site_id: siteId, kind, request } = task;
  const { status: outcome, code, error, http_status, notes = [] } = result;
  const reason = code && { code, error, http_status };
  const context = { run_id, outcome, ...reason, ...(notes.length > 0 && { notes }) };
  if (kind === 'plugin_action') {
    const { plugin = '' } = request;
    // The schema of the request allows only these actions.
    const action = request.action as AuditAction<'remote_plugin'>;
    const entity = { entityType: 'remote_plugin', entityId: plugin } as const;
    const { name = null, old_version = null, new_version = null } = task.versions ?? {};
    const known = {
      ...(name !== null && { name }),
      ...(old_version !== null && { old_version }),
      ...(new_version !== null && { new_version }),
    };
    return { siteId, action, ...entity, context: { ...context, plugin, ...known } };
  }
  if (kind === 'sync') {
    return { siteId, action: 'sync', entityType: 'remote_site', entityId: siteId, context };
  }
  const entity = { entityType: 'remote_update', entityId: siteId } as const;
  const counts = countsOf(result);
  const items = result.details ? toAuditedItems(result.details) : {};
  return { siteId, action: kind, ...entity, context: { ...context, ...counts, ...items } };
}
