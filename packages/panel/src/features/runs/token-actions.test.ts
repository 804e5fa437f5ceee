import { RUN_KINDS, TOKEN_ACTIONS } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { RUN_TOKEN_ACTIONS, toTokenAction } from './token-actions.ts';

describe('toTokenAction', () => {
  it('needs the action of the kind of run', () => {
    const actions = Object.fromEntries(RUN_KINDS.map((kind) => [kind, toTokenAction(kind, {})]));
    expect(actions).toEqual({
      sync: 'sync',
      update: 'update',
      self_update: 'update',
      plugin_action: 'plugins',
      install: 'install',
      restore: 'plugins',
    });
    expect(TOKEN_ACTIONS).toEqual(expect.arrayContaining([...RUN_TOKEN_ACTIONS]));
  });

  it('needs only `update` for the update of one plugin', () => {
    expect(toTokenAction('plugin_action', { action: 'update' })).toBe('update');
    expect(toTokenAction('plugin_action', { action: 'delete' })).toBe('plugins');
  });
});
