import { Button, Group, Text, Title } from '@mantine/core';
import { type MailStatus, panelReach } from '@steward/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Fact, FactList } from '../../../components/fact-list.tsx';
import { PageSection } from '../../../components/page-section.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { type StatusKind, StatusLabel } from '../../../components/status-label.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { findMailState, type MailState } from '../../../lib/mail-state.ts';
import { useUser } from '../../../lib/session.ts';
import { notificationsMessages } from '../../../messages/notifications.ts';
import { mailQuery, sendTestEmail } from '../api.ts';
import { showTestResult } from '../show-test-result.ts';
import { useRefreshNotifications } from '../use-refresh-notifications.ts';

const messages = notificationsMessages.mail;

const STATE_KINDS: Record<MailState, StatusKind> = {
  not_configured: 'off',
  unused: 'empty',
  working: 'good',
  failing: 'bad',
};

/** For owners: whether the panel can send e-mail, and what the last attempts show. */
export function MailServer() {
  const { data, error, refetch } = useQuery(mailQuery);
  return (
    <PageSection id="mail-server">
      <Title order={2} mb="xs">
        {messages.title}
      </Title>
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows rows={4} />}
      {data && <MailFacts mail={data} />}
      {data?.configured && <TestEmail />}
    </PageSection>
  );
}

function MailFacts({ mail }: { mail: MailStatus }) {
  const { server, sender, links_start_with, last_sent, last_failure } = mail;
  const state = findMailState(mail);
  const nextStep = messages.nextSteps[state];
  return (
    <FactList>
      <Fact name={messages.status}>
        <StatusLabel kind={STATE_KINDS[state]}>{messages.states[state]}</StatusLabel>
        {nextStep && <Text c="dimmed">{nextStep}</Text>}
      </Fact>
      {server && (
        <Fact name={messages.server}>
          <span className="mono">{server}</span>
        </Fact>
      )}
      {sender && <Fact name={messages.sender}>{sender}</Fact>}
      {mail.configured && (
        <Fact name={messages.links}>
          <span className="mono">{links_start_with}</span>
          {panelReach(links_start_with) === 'local' && (
            <Text c="dimmed">{messages.localLinks}</Text>
          )}
        </Fact>
      )}
      {last_sent && (
        <Fact name={messages.lastSent}>
          <RelativeTime at={last_sent.at} />
          <Text c="dimmed">{messages.to(last_sent.recipient)}</Text>
        </Fact>
      )}
      {last_failure && (
        <Fact name={messages.lastFailure}>
          <RelativeTime at={last_failure.at} />
          <Text c="dimmed">{messages.to(last_failure.recipient)}</Text>
          <Text>{last_failure.error}</Text>
        </Fact>
      )}
    </FactList>
  );
}

function TestEmail() {
  const { email } = useUser();
  const refresh = useRefreshNotifications();
  const test = useMutation({
    mutationFn: sendTestEmail,
    onSuccess: showTestResult,
    onSettled: refresh,
  });
  return (
    <>
      {test.isError && <ErrorNote error={test.error} />}
      <Group gap="xs">
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {messages.test}
        </Button>
        <Text c="dimmed">{messages.testHint(email)}</Text>
      </Group>
    </>
  );
}
