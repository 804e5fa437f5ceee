import type { RunKind, TokenAction } from '@steward/contract';
import type { RunRequest } from './tables.ts';

/** The actions of access tokens that start runs. */
export const RUN_TOKEN_ACTIONS = ['sync', 'update', 'plugins', 'install'] as const;

const ACTIONS: Record<Exclude<RunKind, 'plugin_action'>, TokenAction> = {
  sync: 'sync',
  update: 'update',
  self_update: 'update',
  restore: 'plugins',
  install: 'install',
};

/** Returns the action that an access token needs to start a run of this kind. */
export function toTokenAction(kind: RunKind, { action }: Pick<RunRequest, 'action'>): TokenAction {
  if (kind === 'plugin_action') return action === 'update' ? 'update' : 'plugins';
  return ACTIONS[kind];
}
