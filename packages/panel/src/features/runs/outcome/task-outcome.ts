import type { BulkUpdateResponse } from '@steward/contract';
import { AppError } from '../../../platform/app-error.ts';
import type { RunKind, TaskStatus } from '../../../platform/database/tables.ts';
import { mayHaveActed, type SiteAnswer, type SiteOutcome } from '../../../site-client/index.ts';
import type { AuditEntry } from '../../audit/index.ts';
import { detailsToStore } from './stored-details.ts';

/** How a task ended, or that it cannot be told yet. */
export type TaskResult = {
  status: Exclude<TaskStatus, 'queued' | 'running'>;
  http_status: number | null;
  code: string | null;
  error: string | null;
  /** As they are stored: cut, if they were large. */
  details: BulkUpdateResponse | null;
  /** Of the whole answer. */
  counts?: ItemCounts;
  /** What else is to be said of it, in sentences. */
  notes?: string[];
  /** Whether any byte of the request may have reached the site. */
  sent: boolean;
  /** The call was lost, but the site has answered since. */
  hasAnsweredSince?: true;
};

/** What a call to a site means for its task. */
export function resultOf(outcome: SiteOutcome<SiteAnswer>): TaskResult {
  if (outcome.kind === 'answered') return resultOfAnswer(outcome.httpStatus, outcome.body);
  const { httpStatus: http_status, code, error } = outcome;
  const sent = outcome.kind === 'failed' ? outcome.sent : true;
  const problem = { http_status, code, error, details: null, sent };
  if (outcome.kind === 'busy' || !mayHaveActed(outcome)) return { ...problem, status: 'failed' };
  const isRefused = outcome.kind === 'refused';
  return { ...problem, status: 'unknown', ...(isRefused && { code: 'action_failed' }) };
}

export function resultOfAnswer(httpStatus: number | null, body: SiteAnswer): TaskResult {
  const answer = { http_status: httpStatus, code: null, error: null, sent: true };
  if ('results' in body) {
    const status = statusOfUpdate(body);
    const notes = status === 'unverified' ? [NOT_SEEN_WORKING] : [];
    const counts = countItems(body);
    return { ...answer, status, details: detailsToStore(body), counts, notes };
  }
  if (!('plugin' in body)) return { ...answer, status: 'succeeded', details: null };
  const { verified = true, warnings = [], new_plugin } = body;
  const moved = new_plugin === undefined ? [] : [`Its main file is ${new_plugin} from now on.`];
  const unseen = verified ? [] : [NOT_SEEN_WORKING];
  const status = verified ? 'succeeded' : 'unverified';
  return { ...answer, status, details: null, notes: [...unseen, ...moved, ...warnings] };
}

const NOT_SEEN_WORKING = 'The site could not open its own pages to see whether they still work.';

const NOTHING_SENT = { http_status: null, code: null, error: null, details: null, sent: false };

export function internalFault(): TaskResult {
  const error = 'Something went wrong in the panel. Its log says what.';
  return { ...NOTHING_SENT, status: 'unknown', code: 'internal_error', error, sent: true };
}

/** A user, or the panel, has ended it before the site was called. */
export function neverCalled(): TaskResult {
  return { ...NOTHING_SENT, status: 'cancelled' };
}

/** Not there, or not for the user who asks. */
export function siteNotFound(): TaskResult {
  const { code, message } = new AppError('site_not_found');
  return { ...NOTHING_SENT, status: 'refused', code, error: message };
}

/** The site must not be called any more; if an earlier call was lost, not even to ask about that. */
export function siteNotActive({ isLost }: { isLost: boolean }): TaskResult {
  const { code, message } = new AppError('site_not_active');
  if (!isLost) return { ...NOTHING_SENT, status: 'refused', code, error: message };
  const error = `${message} ${CANNOT_BE_ASKED}`;
  return { ...NOTHING_SENT, status: 'unknown', code, error, sent: true };
}

const CANNOT_BE_ASKED =
  'The answer to its last call was lost, so it may have done what was asked. Sync it once it is active again.';

/** All, some or none of the items. A report that did not reach the panel is no failed item. */
function statusOfUpdate(body: BulkUpdateResponse): TaskResult['status'] {
  const { plugins, themes, core } = countItems(body);
  const failed = plugins.failed + themes.failed + core.failed;
  if (failed === 0) {
    if (!body.success) return 'failed';
    return itemsOf(body).every(({ verified = true }) => verified) ? 'succeeded' : 'unverified';
  }
  return plugins.updated + themes.updated + core.updated > 0 ? 'partial' : 'failed';
}

function itemsOf({ results: { plugins, themes, core } }: BulkUpdateResponse) {
  return [...plugins, ...themes, ...(core ? [core] : [])];
}

export type ItemCounts = ReturnType<typeof countItems>;

function countItems({ results: { plugins, themes, core } }: BulkUpdateResponse) {
  const count = (items: { success: boolean }[]) => {
    const updated = items.filter(({ success }) => success).length;
    return { updated, failed: items.length - updated };
  };
  return { plugins: count(plugins), themes: count(themes), core: count(core ? [core] : []) };
}

export function countsOf({ counts }: Pick<TaskResult, 'counts'>): ItemCounts {
  const none = { updated: 0, failed: 0 };
  return counts ?? { plugins: none, themes: none, core: none };
}

type AskedOfSite = {
  run_id: number;
  site_id: number;
  kind: RunKind;
  request: Record<string, string>;
};

/** The audit record of what was asked of a site and how that ended. */
export function taskAudit(task: AskedOfSite, result: TaskResult): AuditEntry {
  const { run_id, site_id: siteId, kind, request } = task;
  const { status: outcome, code, error, http_status, notes = [] } = result;
  const reason = code && { code, error, http_status };
  const context = { run_id, outcome, ...reason, ...(notes.length > 0 && { notes }) };
  if (kind === 'plugin_action') {
    const { action = '', plugin = '' } = request;
    const entity = { entityType: 'remote_plugin', entityId: plugin };
    return { siteId, action, ...entity, context: { ...context, plugin } };
  }
  if (kind === 'sync') {
    return { siteId, action: 'sync', entityType: 'remote_site', entityId: siteId, context };
  }
  const entity = { entityType: 'remote_update', entityId: siteId };
  const counts = countsOf(result);
  return { siteId, action: 'update', ...entity, context: { ...context, ...counts } };
}
