import { describe, expect, it } from 'vitest';
import { adviceOn, type Ending, troubleOf } from './failure-words.ts';

const OLD_VERSION = 'The old version is still running.';

describe('what a failure means', () => {
  const meaningOf = (kind: string, action?: string) =>
    adviceOn({ kind, action, status: 'failed', code: 'action_failed' })?.meaning;

  it('is that the old version runs, of updates alone', () => {
    expect(meaningOf('update')).toBe(OLD_VERSION);
    expect(meaningOf('plugin_action', 'update')).toBe(OLD_VERSION);
    for (const action of ['activate', 'deactivate', 'delete']) {
      expect(meaningOf('plugin_action', action)).not.toContain('version');
    }
  });

  it('is that the plugin is as it was, where that can be said', () => {
    for (const action of ['activate', 'deactivate']) {
      expect(meaningOf('plugin_action', action)).toContain('as it was');
    }
    expect(meaningOf('plugin_action', 'delete')).toBe(
      'It may be switched off and its data removed; its files are still there.',
    );
  });
});

describe('what a call without an answer means', () => {
  const LOST = [
    'site_unreachable',
    'site_timeout',
    'site_invalid_response',
    'site_response_too_large',
    'site_tls_error',
  ];
  const meaningOf = (ending: Partial<Ending>) =>
    adviceOn({ kind: 'plugin_action', status: 'failed', code: null, ...ending })?.meaning ?? '';

  it.each(LOST)(
    '%s: that the action was not done, and no more, when that is all that is known',
    (code) => {
      expect(meaningOf({ action: 'update', code })).toMatch(/^The update was not made\./);
      expect(meaningOf({ action: 'activate', code })).toMatch(/^The plugin was not activated\./);
      expect(meaningOf({ action: 'deactivate', code })).toMatch(
        /^The plugin was not deactivated\./,
      );
      expect(meaningOf({ action: 'delete', code })).toMatch(
        /^The plugin was not deleted\. If the site had begun, it may be switched off/,
      );
      for (const action of ['update', 'activate', 'deactivate', 'delete']) {
        expect(meaningOf({ action, code })).not.toContain('Nothing was changed');
      }
    },
  );

  it.each(LOST)('%s: of updates, whether the site was asked afterwards', (code) => {
    expect(meaningOf({ kind: 'update', code })).toMatch(/^Nothing was changed: /);
    expect(meaningOf({ kind: 'update', code, hasItems: true })).toMatch(
      /^None of the updates was made\./,
    );
  });

  it.each(LOST)('%s: that it may have happened, when the site could not be asked', (code) => {
    for (const action of ['update', 'activate', 'deactivate', 'delete']) {
      const advice = adviceOn({ kind: 'plugin_action', action, status: 'unknown', code });
      expect(advice?.meaning).toMatch(/^It may or may not have happened\./);
      expect(advice?.next[0]).toBe('sync');
    }
  });

  it('is not told as long as the site is being asked', () => {
    const meaning = meaningOf({ action: 'delete', status: 'unknown', isOpen: true });
    expect(meaning).toContain('The panel is asking the site what became of it');
  });

  it('is for a sync that nothing was changed by it', () => {
    for (const code of LOST) {
      expect(meaningOf({ kind: 'sync', code })).toContain('Nothing is changed by a sync');
    }
  });
});

describe('what is wrong with a site', () => {
  const failing = (code: string) =>
    troubleOf({
      status: 'failing',
      fault: { code, error: 'Why.' },
      license: { status: 'active' },
    });

  it('offers to try the updates again after an update, and not after anything else', () => {
    expect(failing('action_failed')).toEqual({
      title: 'Why.',
      meaning: OLD_VERSION,
      next: ['retry', 'sync', 'open_site'],
    });
    for (const code of [
      ...['activate_failed', 'deactivate_failed', 'delete_failed'],
      ...['file_changes_disabled', 'site_rejected_key', 'something_new'],
    ]) {
      expect(failing(code)?.next).toEqual(['sync', 'open_site']);
      expect(failing(code)?.meaning).not.toContain(OLD_VERSION);
    }
    expect(failing('delete_failed')?.meaning).toContain('its data removed');
    expect(failing('activate_failed')?.meaning).toContain('as it was');
  });
});
