import { Text } from '@mantine/core';
import type { AccessTokenSummary } from '@steward/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { accessTokensQuery, revokeAccessToken } from '../lib/access-tokens-api.ts';
import { formatDay } from '../lib/format.ts';
import { notifySuccess } from '../lib/notify.ts';
import { accessTokenMessages as messages } from '../messages/access-tokens.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { DangerButton } from './danger-button.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorNote } from './error-note.tsx';
import lines from './lines.module.css';
import { SkeletonRows } from './skeleton-rows.tsx';
import { RelativeTime } from './time.tsx';

type Props = {
  /** Null: the signed-in user. */
  userId: number | null;
  /** Called when the dialog opens and closes. A drawer below the dialog must release the keyboard meanwhile. */
  onDialogToggle?: (isOpen: boolean) => void;
};

/** The access tokens of a user, each with a button that revokes it. */
export function AccessTokenList({ userId, onDialogToggle }: Props) {
  const query = accessTokensQuery(userId);
  const { data, error, refetch } = useQuery(query);
  const client = useQueryClient();
  const [toRevoke, setToRevoke] = useState<AccessTokenSummary | null>(null);
  const choose = (token: AccessTokenSummary | null) => {
    setToRevoke(token);
    onDialogToggle?.(token !== null);
  };
  if (!data) {
    return error ? (
      <ErrorNote error={error} onRetry={refetch} />
    ) : (
      <SkeletonRows rows={2} height={68} />
    );
  }
  if (data.tokens.length === 0)
    return (
      <EmptyState isSection title={messages.emptyTitle}>
        {messages.empty}
      </EmptyState>
    );
  return (
    <>
      {error && <ErrorNote error={error} onRetry={refetch} />}
      <ul className={lines.list} aria-label={messages.title}>
        {data.tokens.map((token) => (
          <TokenLine key={token.id} token={token} onRevoke={() => choose(token)} />
        ))}
      </ul>
      {toRevoke && (
        <ConfirmDialog
          title={messages.revokeOne(toRevoke.name)}
          confirmLabel={messages.revokeSubmit}
          isDangerous
          onClose={() => choose(null)}
          onConfirm={async () => {
            await revokeAccessToken(userId, toRevoke.id);
            notifySuccess(messages.revoked(toRevoke.name));
            await client.invalidateQueries(query);
          }}
        >
          <Text>{messages.revokeEffect}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}

function TokenLine({ token, onRevoke }: { token: AccessTokenSummary; onRevoke: () => void }) {
  const { name, last_four, actions, access, last_used_ip } = token;
  const labels = actions.map((action) => messages.actions[action].label);
  const expiry = token.is_expired ? messages.expired(last_four) : messages.expires(last_four);
  return (
    <li className={lines.line}>
      <div>
        <Text>{name}</Text>
        <Text size="sm" c="dimmed">
          {messages.scope(labels, describeAccess(access))}
        </Text>
        <Text size="sm" c="dimmed">
          {expiry} {formatDay(token.expires_at)}
        </Text>
        <Text size="sm" c="dimmed">
          {messages.lastUsed} <RelativeTime at={token.last_used_at} />
          {last_used_ip && messages.from(last_used_ip)}
        </Text>
      </div>
      <DangerButton size="xs" aria-label={messages.revokeOne(name)} onClick={onRevoke}>
        {messages.revoke}
      </DangerButton>
    </li>
  );
}

function describeAccess(access: AccessTokenSummary['access']): string {
  if (access === null) return messages.allSites;
  const { sites, licenses, clients, tags } = access;
  return messages.access(
    sites.length,
    licenses.length,
    clients.map(({ name }) => name),
    tags.map(({ tag }) => tag),
  );
}
