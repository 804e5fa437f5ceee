import { Button, Group, Select, Table, Text, Title, VisuallyHidden } from '@mantine/core';
import { DELIVERY_STATUSES, type NotificationDelivery } from '@steward/contract';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { LoadOlderButton } from '../../../components/load-older-button.tsx';
import { NameText } from '../../../components/name-text.tsx';
import { PageSection } from '../../../components/page-section.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { type StatusKind, StatusLabel } from '../../../components/status-label.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { notifyError, notifySuccess, notifyWarning } from '../../../lib/notify.ts';
import { notificationsMessages } from '../../../messages/notifications.ts';
import { deliveriesQuery, retryDelivery } from '../api.ts';
import { useRefreshNotifications } from '../use-refresh-notifications.ts';
import styles from './notifications.module.css';

const messages = notificationsMessages.log;
const route = getRouteApi('/signed-in/notifications');

const STATUS_KINDS: Record<NotificationDelivery['status'], StatusKind> = {
  waiting: 'waiting',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'off',
};

/** Each message with the result of its attempts. The URL holds the status filter. */
export function DeliveryLog() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const status = DELIVERY_STATUSES.find((each) => each === search.status);
  const filter = (value: string | null) =>
    void navigate({
      search: (previous) => ({ ...previous, status: value ?? undefined }),
      replace: true,
    });
  return (
    <PageSection id="deliveries">
      <Group justify="space-between" mb="xs">
        <Title order={2}>{messages.title}</Title>
        <Select
          aria-label={messages.statusFilter}
          placeholder={messages.allStatuses}
          data={DELIVERY_STATUSES.map((value) => ({ value, label: messages.statuses[value] }))}
          value={status ?? null}
          onChange={filter}
          clearable
          w={150}
        />
      </Group>
      <Deliveries status={status} />
    </PageSection>
  );
}

function Deliveries({ status }: { status: NotificationDelivery['status'] | undefined }) {
  const query = useInfiniteQuery(deliveriesQuery(status));
  const { data, error, refetch } = query;
  if (error && !data) return <ErrorNote error={error} onRetry={refetch} />;
  if (!data) return <SkeletonRows rows={6} />;
  const deliveries = data.pages.flatMap((page) => page.deliveries);
  if (deliveries.length === 0) {
    return status ? (
      <EmptyState isSection title={messages.noMatchTitle}>
        {messages.noMatch}
      </EmptyState>
    ) : (
      <EmptyState title={messages.emptyTitle}>{messages.empty}</EmptyState>
    );
  }
  return (
    <>
      <Table className={`${styles.table} ${styles.log}`} fz="md" aria-label={messages.title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{messages.columns.message}</Table.Th>
            <Table.Th className={styles.wideOnly}>{messages.columns.recipient}</Table.Th>
            <Table.Th className={styles.status}>{messages.columns.status}</Table.Th>
            <Table.Th className={`${styles.time} ${styles.wideOnly}`}>
              {messages.columns.time}
            </Table.Th>
            <Table.Th className={styles.action}>
              <VisuallyHidden>{messages.columns.actions}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} />
          ))}
        </Table.Tbody>
      </Table>
      <LoadOlderButton query={query} label={messages.loadOlder} />
    </>
  );
}

function DeliveryRow({ delivery }: { delivery: NotificationDelivery }) {
  const { subject, recipient, kind, status, error, created_at } = delivery;
  return (
    <Table.Tr>
      <Table.Td>
        <div>{subject}</div>
        {error && (
          <Text size="xs" c="dimmed">
            {error}
          </Text>
        )}
      </Table.Td>
      <Table.Td className={styles.wideOnly}>
        <NameText>{recipient}</NameText>
        <Text size="xs" c="dimmed">
          {notificationsMessages.kinds[kind]}
        </Text>
      </Table.Td>
      <Table.Td className={styles.status}>
        <StatusLabel kind={STATUS_KINDS[status]}>{messages.statuses[status]}</StatusLabel>
        <Attempts delivery={delivery} />
      </Table.Td>
      <Table.Td className={`${styles.time} ${styles.wideOnly}`}>
        <RelativeTime at={created_at} />
      </Table.Td>
      <Table.Td className={styles.action}>
        {(status === 'waiting' || status === 'failed') && <RetryButton delivery={delivery} />}
      </Table.Td>
    </Table.Tr>
  );
}

function Attempts({ delivery }: { delivery: NotificationDelivery }) {
  const { attempts, http_status, next_attempt_at } = delivery;
  return (
    <Text size="xs" c="dimmed" component="div">
      {messages.attempts(attempts)}
      {http_status !== null && <div>{messages.httpStatus(http_status)}</div>}
      {next_attempt_at !== null && attempts > 0 && (
        <div>
          {messages.nextAttempt} <RelativeTime at={next_attempt_at} />
        </div>
      )}
    </Text>
  );
}

function RetryButton({ delivery }: { delivery: NotificationDelivery }) {
  const refresh = useRefreshNotifications();
  const retry = useMutation({
    mutationFn: () => retryDelivery(delivery.id),
    onSuccess: ({ status, recipient, error }) => {
      if (status === 'delivered') notifySuccess(messages.retried(recipient));
      else notifyWarning(messages.retryFailed(recipient, error ?? ''));
    },
    onError: notifyError,
    onSettled: refresh,
  });
  return (
    <Button
      variant="default"
      size="xs"
      loading={retry.isPending}
      onClick={() => retry.mutate()}
      aria-label={messages.retryOf(delivery.subject)}
    >
      {messages.retry}
    </Button>
  );
}
