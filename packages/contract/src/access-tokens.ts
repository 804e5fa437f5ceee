import type { Role } from './roles.ts';

/**
 * The actions that an access token can be limited to. Each route that accepts tokens declares its action. The role of
 * the token still applies: `rules` and `licenses` need the role owner.
 */
export const TOKEN_ACTIONS = [
  'read',
  'sync',
  'update',
  'plugins',
  'install',
  'rollouts',
  'schedules',
  'sites',
  'rules',
  'licenses',
] as const;
export type TokenAction = (typeof TOKEN_ACTIONS)[number];

const OWNER_ACTIONS: readonly TokenAction[] = ['rules', 'licenses'];

const ACTIONS_OF: Record<Role, readonly TokenAction[]> = {
  owner: TOKEN_ACTIONS,
  manager: TOKEN_ACTIONS.filter((action) => !OWNER_ACTIONS.includes(action)),
  viewer: ['read'],
};

/** Lists the actions that a token with this role can use. */
export function listTokenActions(role: Role): readonly TokenAction[] {
  return ACTIONS_OF[role];
}

/** The start of every access token. Secret scanners find leaked tokens by it. */
export const ACCESS_TOKEN_PREFIX = 'stw_pat_';

export const ACCESS_TOKEN_PATTERN = /^stw_pat_[A-Za-z0-9_-]{43}$/;
