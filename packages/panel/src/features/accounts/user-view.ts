import type { PanelUser, UserSummary } from '@steward/contract';
import type { UserRow } from './users.repository.ts';

/** What the rows of the database look like on the wire. */

export function panelUser({ id, name, email, role }: PanelUser): PanelUser {
  return { id, name, email, role };
}

export function userSummary(user: UserRow, hasSecondFactor: boolean): UserSummary {
  return {
    ...panelUser(user),
    disabled: user.disabled_at !== null,
    second_factor: hasSecondFactor,
    created_at: user.created_at.toISOString(),
    last_sign_in_at: user.last_sign_in_at?.toISOString() ?? null,
  };
}
