import {
  type NextStep,
  NO_CHANGES,
  SITE_FAILURES,
  SITE_NOT_CALLED,
  type SiteFailure,
} from './failures.ts';

/** The meaning of a failure for the site, and the next steps. `SITE_FAILURES` has the message. */
export type Advice = { meaning: string; next: readonly NextStep[] };

/** The facts about a task that decide the advice. */
export type TaskFacts = {
  kind: string;
  /** The action of a `plugin_action`. */
  action?: string | undefined;
  status: string;
  code: string | null;
  /** The response was lost, and the panel is still verifying the result. */
  isVerifying?: boolean;
  /** True: the result of each item is known, so the site received the call. */
  hasItems?: boolean;
};

const OLD_VERSION = 'The old version is still running, if the error names no failed rollback.';
const SYNC_TO_SEE = 'Sync the site to see its current state.';
const SHOULD_BE_UNCHANGED = `The plugin should be unchanged. ${SYNC_TO_SEE}`;

const MEANINGS = {
  verifying:
    'No valid response arrived. Steward is verifying the result with the site. This page updates automatically.',
  unknown: `The site may or may not have made the change. ${SYNC_TO_SEE}`,
  unverified:
    'The change was made, but neither the site nor Steward could check that the pages work. Open the site and check its pages.',
  syncFailed: 'Sync failed; nothing was changed.',
} as const;

/** The state of a site after some items of a call failed. */
const AFTER_PARTIAL: Record<string, string> = {
  update:
    'Updated items stay updated. A failed item has its old version, if its error names no failed rollback.',
  install:
    'Installed items stay installed. Failed items were not installed. If files of one are left, its error says so.',
  restore:
    'Restored items stay restored. A failed item has its newer version, if its error names no failed rollback.',
};

/** The state of a site if no valid response arrived and the site did not execute the action. */
const NOT_DONE: Record<string, string> = {
  update: 'The update was not installed.',
  activate: 'The plugin was not activated.',
  deactivate: 'The plugin was not deactivated.',
  delete:
    'The plugin was not deleted. If the deletion had started, the plugin may be deactivated and its data removed.',
  install: 'The package was not installed.',
  restore: 'The previous version was not restored.',
  self_update: 'The Steward plugin was not updated.',
};

/** The state of a site after it tried an action and failed. */
const AFTER_FAILED: Record<string, string> = {
  update: OLD_VERSION,
  activate: SHOULD_BE_UNCHANGED,
  deactivate: SHOULD_BE_UNCHANGED,
  // The site deactivates a plugin and runs its uninstall routine before it removes the files.
  delete: 'The plugin may be deactivated and its data removed. Its files are still on the site.',
  install: 'Nothing was installed. If files are left on the site, the error says so.',
  restore: 'The newer version is still running, if the error names no failed rollback.',
  self_update: 'The old version of the Steward plugin is still running.',
};

const UNVERIFIED_CODES = ['site_unhealthy', 'pages_not_checked', 'pages_differ'] as const;
const isUnverifiedCode = (code: string | null): code is (typeof UNVERIFIED_CODES)[number] =>
  UNVERIFIED_CODES.some((each) => each === code);

/** The status decides first, then the code. Returns null if the task needs no advice. */
export function explainFailure(task: TaskFacts): Advice | null {
  const { kind, action = kind, status, code, isVerifying = false } = task;
  if (status === 'unknown' && isVerifying) return { meaning: MEANINGS.verifying, next: [] };
  if (status === 'unknown') {
    return { meaning: MEANINGS.unknown, next: ['sync', 'open_site', 'retry'] };
  }
  if (status === 'unverified' && isUnverifiedCode(code)) {
    const { meaning, next } = SITE_FAILURES[code];
    return { meaning, next };
  }
  if (status === 'unverified') {
    return { meaning: MEANINGS.unverified, next: ['open_site', 'site_page'] };
  }
  if (status === 'partial') {
    const meaning = AFTER_PARTIAL[kind] ?? SYNC_TO_SEE;
    return { meaning, next: ['retry', 'site_page', 'open_site'] };
  }
  if (status === 'cancelled') return { meaning: SITE_NOT_CALLED, next: ['retry', 'site_page'] };
  if (status !== 'failed' && status !== 'refused') return null;
  const known = explainCode(task);
  if (kind === 'sync') {
    return { meaning: MEANINGS.syncFailed, next: known?.next ?? ['retry', 'open_site'] };
  }
  if (known) return known;
  if (code === 'action_failed') {
    const meaning = AFTER_FAILED[action] ?? SYNC_TO_SEE;
    return { meaning, next: SITE_FAILURES.action_failed.next };
  }
  if (status === 'refused') return { meaning: SITE_NOT_CALLED, next: ['site_page'] };
  const installsVersion = ['update', 'install', 'restore', 'self_update'].includes(action);
  const meaning = (installsVersion && AFTER_FAILED[action]) || NO_CHANGES;
  return { meaning, next: ['retry', 'open_site'] };
}

function explainCode(task: TaskFacts): Advice | undefined {
  const { code } = task;
  if (code === null || code === 'action_failed') return undefined;
  const failure = failureByCode(code);
  if (!failure) return undefined;
  const { meaning, next, hasNoValidResponse } = failure;
  if (!hasNoValidResponse) return { meaning, next };
  return { meaning: [explainNotDone(task), meaning].filter(Boolean).join(' '), next };
}

function explainNotDone({ kind, action = '', hasItems = false }: TaskFacts): string {
  if (kind === 'plugin_action') return NOT_DONE[action] ?? SYNC_TO_SEE;
  // The panel reconciles every call that reached the site, and then knows the items. Without items, the call did not
  // arrive.
  if (!hasItems) return NO_CHANGES;
  return kind === 'update' ? 'No update was installed.' : (NOT_DONE[kind] ?? SYNC_TO_SEE);
}

/**
 * Explains the fault code of the last call to a site. `action_failed` is the code of a failed update. Other actions
 * have codes such as `delete_failed` or `install_failed`; users start them again where they started them, so the next
 * steps contain no retry.
 */
export function explainFault(code: string): Advice {
  if (code === 'action_failed') {
    return { meaning: OLD_VERSION, next: SITE_FAILURES.action_failed.next };
  }
  const action = code.endsWith('_failed') ? code.slice(0, -'_failed'.length) : '';
  const failure = failureByCode(code);
  const known = failure?.hasNoValidResponse ? undefined : failure?.meaning;
  return { meaning: AFTER_FAILED[action] ?? known ?? SYNC_TO_SEE, next: ['sync', 'open_site'] };
}

/** Returns undefined for a code without an entry, such as `delete_failed` or a code that only the site knows. */
function failureByCode(code: string): SiteFailure | undefined {
  const failures: Record<string, SiteFailure> = SITE_FAILURES;
  return Object.hasOwn(failures, code) ? failures[code] : undefined;
}
