import { Button, Group, Text } from '@mantine/core';
import type { SessionSummary } from '@steward/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import lines from '../../../components/lines.module.css';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { notifyError, notifySuccess } from '../../../lib/notify.ts';
import { accountMessages } from '../../../messages/account.ts';
import { endOtherSessions, endSession, sessionsQuery } from '../api.ts';
import { browserName } from '../browser-name.ts';

const messages = accountMessages.sessionList;

export function SessionList() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(sessionsQuery);
  const options = {
    onSuccess: () => client.invalidateQueries(sessionsQuery),
    onError: notifyError,
  };
  const end = useMutation({ mutationFn: endSession, ...options });
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    ...options,
    onSuccess: () => {
      notifySuccess(messages.othersEnded);
      return client.invalidateQueries(sessionsQuery);
    },
  });
  if (!data) {
    return error ? (
      <ErrorNote error={error} onRetry={refetch} />
    ) : (
      <SkeletonRows rows={2} height={52} />
    );
  }
  return (
    <>
      {error && <ErrorNote error={error} onRetry={refetch} />}
      <ul className={lines.list}>
        {data.sessions.map((session) => (
          <SessionLine key={session.id} session={session} onEnd={() => end.mutate(session.id)} />
        ))}
      </ul>
      {data.sessions.length > 1 && (
        <Button
          variant="default"
          mt="sm"
          loading={endOthers.isPending}
          onClick={() => endOthers.mutate()}
        >
          {messages.endOthers}
        </Button>
      )}
    </>
  );
}

function SessionLine({ session, onEnd }: { session: SessionSummary; onEnd: () => void }) {
  const name = browserName(session.user_agent);
  return (
    <li className={lines.line}>
      <div>
        <Text>{session.current ? messages.current(name) : name}</Text>
        <Text size="sm" c="dimmed">
          {messages.signedIn(session.ip ?? messages.unknownAddress)}{' '}
          <RelativeTime at={session.created_at} />
        </Text>
      </div>
      {!session.current && (
        <Group>
          <Button variant="default" size="xs" onClick={onEnd} aria-label={messages.endOne(name)}>
            {messages.end}
          </Button>
        </Group>
      )}
    </li>
  );
}
