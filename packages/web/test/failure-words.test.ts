import { describe, expect, it } from 'vitest';
import { adviceOn, troubleOf } from '../src/lib/failure-words.ts';

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
