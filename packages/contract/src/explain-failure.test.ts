import { describe, expect, it } from 'vitest';
import { explainFailure, explainFault, type TaskFacts } from './index.ts';

const OLD_VERSION = 'The old version is still running, if the error names no failed rollback.';
const NO_VALID_RESPONSE = [
  'site_unreachable',
  'site_timeout',
  'site_invalid_response',
  'site_response_too_large',
  'site_tls_error',
];
const ACTIONS = ['update', 'activate', 'deactivate', 'delete'];

describe('explainFailure after a failed action', () => {
  const meaningOf = (kind: string, action?: string) =>
    explainFailure({ kind, action, status: 'failed', code: 'action_failed' })?.meaning;

  it('mentions the old version after updates only', () => {
    expect(meaningOf('update')).toBe(OLD_VERSION);
    expect(meaningOf('plugin_action', 'update')).toBe(OLD_VERSION);
    for (const action of ['activate', 'deactivate', 'delete']) {
      expect(meaningOf('plugin_action', action)).not.toContain('version');
    }
  });

  it('says that the plugin is unchanged only where that is likely', () => {
    for (const action of ['activate', 'deactivate']) {
      expect(meaningOf('plugin_action', action)).toContain('should be unchanged');
    }
    expect(meaningOf('plugin_action', 'delete')).toBe(
      'The plugin may be deactivated and its data removed. Its files are still on the site.',
    );
  });
});

describe('explainFailure by outcome', () => {
  const meaningOf = (status: string, code: string | null = null) =>
    explainFailure({ kind: 'update', status, code })?.meaning;

  it('says which items of a partly failed update stay updated', () => {
    expect(meaningOf('partial')).toBe(
      'Updated items stay updated. A failed item has its old version, if its error names no failed rollback.',
    );
  });

  it('says that a refused or cancelled task changed nothing', () => {
    for (const status of ['refused', 'cancelled']) {
      expect(meaningOf(status)).toBe('The site was not called. No changes were made.');
    }
  });

  it('gives no advice on a task that succeeded', () => {
    expect(explainFailure({ kind: 'update', status: 'succeeded', code: null })).toBeNull();
  });
});

describe('explainFailure after a call without a valid response, once the result is known', () => {
  const meaningOf = (task: Partial<TaskFacts>) =>
    explainFailure({ kind: 'plugin_action', status: 'failed', code: null, ...task })?.meaning ?? '';

  it.each(NO_VALID_RESPONSE)('%s: says only that the action was not done', (code) => {
    expect(meaningOf({ action: 'update', code })).toMatch(/^The update was not installed\./);
    expect(meaningOf({ action: 'activate', code })).toMatch(/^The plugin was not activated\./);
    expect(meaningOf({ action: 'deactivate', code })).toMatch(/^The plugin was not deactivated\./);
    expect(meaningOf({ action: 'delete', code })).toMatch(
      /^The plugin was not deleted\. If the deletion had started, the plugin may be deactivated/,
    );
    for (const action of ACTIONS) {
      expect(meaningOf({ action, code })).not.toContain('No changes were made');
    }
  });

  it.each(NO_VALID_RESPONSE)(
    '%s: says "No update was installed" if the call reached the site, and "No changes were made" if it did not',
    (code) => {
      expect(meaningOf({ kind: 'update', code })).toMatch(/^No changes were made\./);
      expect(meaningOf({ kind: 'update', code, hasItems: true })).toMatch(
        /^No update was installed\./,
      );
    },
  );

  it.each(NO_VALID_RESPONSE)('%s: says that a failed sync changed nothing', (code) => {
    expect(meaningOf({ kind: 'sync', code })).toBe('Sync failed; nothing was changed.');
  });
});

describe('explainFailure while the result is unknown', () => {
  it.each(NO_VALID_RESPONSE)(
    '%s: says that the result is unknown when reconciling failed',
    (code) => {
      for (const action of ACTIONS) {
        const advice = explainFailure({ kind: 'plugin_action', action, status: 'unknown', code });
        expect(advice?.meaning).toMatch(/^The site may or may not have made the change\./);
        expect(advice?.next[0]).toBe('sync');
      }
    },
  );

  it('says that the panel is still verifying the result', () => {
    const advice = explainFailure({
      kind: 'plugin_action',
      action: 'delete',
      status: 'unknown',
      code: null,
      isVerifying: true,
    });
    expect(advice?.meaning).toContain('Steward is verifying the result with the site');
  });
});

describe('explainFault', () => {
  it('offers a retry after a failed update', () => {
    expect(explainFault('action_failed')).toEqual({
      meaning: OLD_VERSION,
      next: ['retry', 'sync', 'open_site'],
    });
  });

  it.each([
    ...['activate_failed', 'deactivate_failed', 'delete_failed'],
    ...['file_changes_disabled', 'site_rejected_key', 'something_new'],
  ])('offers a sync, but no retry, after %s', (code) => {
    expect(explainFault(code).next).toEqual(['sync', 'open_site']);
    expect(explainFault(code).meaning).not.toContain(OLD_VERSION);
  });

  it('describes the state after each failed action', () => {
    expect(explainFault('delete_failed').meaning).toContain('its data removed');
    expect(explainFault('activate_failed').meaning).toContain('should be unchanged');
  });
});

describe('explainFailure of an unverified result', () => {
  const meaningOf = (code: string | null) =>
    explainFailure({ kind: 'update', status: 'unverified', code })?.meaning;

  it('says what pages that were not checked, or that differ, mean', () => {
    expect(meaningOf('pages_not_checked')).toContain('no checked page shows a problem');
    expect(meaningOf('pages_differ')).toContain('may be intended');
    expect(meaningOf(null)).toContain('could check that the pages work');
  });
});
