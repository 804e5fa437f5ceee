import type { PanelUser, UserSummary } from '@steward/contract';
import type { UserRow } from './users.repository.ts';

/** Converts database rows to API objects. */

export function toPanelUser({ id, name, email, role }: PanelUser): PanelUser {
  return { id, name, email, role };
}

type SignInState = { hasPassword: boolean; hasSecondFactor: boolean };

export function toUserSummary(
  user: UserRow,
  { hasPassword, hasSecondFactor }: SignInState,
): UserSummary {
  return {
    ...toPanelUser(user),
    invited: !hasPassword && user.last_sign_in_at === null && user.disabled_at === null,
    disabled: user.disabled_at !== null,
    second_factor: hasSecondFactor,
    created_at: user.created_at.toISOString(),
    last_sign_in_at: user.last_sign_in_at?.toISOString() ?? null,
  };
}
