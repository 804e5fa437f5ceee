import { ActionIcon, Menu, Switch, Table, Text, UnstyledButton } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { DangerMenuItem } from '../../../components/danger-menu-item.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { notifyError, notifySuccess } from '../../../lib/notify.ts';
import { useClientNames } from '../../../lib/use-client-names.ts';
import { schedulesMessages } from '../../../messages/schedules.ts';
import { type Schedule, saveSchedule, schedulesQuery, toRequest } from '../api.ts';
import styles from './schedule-table.module.css';
import { Warnings } from './schedule-warnings.tsx';

const messages = schedulesMessages.table;

type Handlers = Record<'onEdit' | 'onDelete' | 'onDisable', (schedule: Schedule) => void>;
type Props = Handlers & { schedules: Schedule[] };

export function ScheduleTable({ schedules, ...handlers }: Props) {
  return (
    <Table className={styles.table} fz="md" aria-label={messages.label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th className={styles.first}>{messages.name}</Table.Th>
          <Table.Th className={`${styles.when} ${styles.wideOnly}`}>{messages.when}</Table.Th>
          <Table.Th className={styles.wideOnly}>{messages.next}</Table.Th>
          <Table.Th className={styles.wideOnly}>{messages.last}</Table.Th>
          <Table.Th className={styles.narrow}>{messages.enabled}</Table.Th>
          <Table.Th className={styles.narrow} aria-label={messages.actionsColumn} />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {schedules.map((schedule) => (
          <ScheduleRow key={schedule.schedule_id} schedule={schedule} {...handlers} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function ScheduleRow({ schedule, onEdit, onDelete, onDisable }: Handlers & { schedule: Schedule }) {
  const { name, selection, in_rings } = schedule;
  const nameOfClient = useClientNames();
  return (
    <Table.Tr>
      <Table.Td>
        <UnstyledButton className={styles.name} onClick={() => onEdit(schedule)}>
          {name}
        </UnstyledButton>
        <Text size="sm" c="dimmed">
          {schedulesMessages.what(schedule, selection, in_rings, nameOfClient)}
        </Text>
        <Text size="sm" className={styles.phoneOnly}>
          {schedulesMessages.when(schedule)}
        </Text>
        <Text size="sm" className={styles.phoneOnly}>
          {messages.phoneNext(describeNext(schedule))}
        </Text>
        <Warnings schedule={schedule} />
      </Table.Td>
      <Table.Td className={styles.wideOnly}>{schedulesMessages.when(schedule)}</Table.Td>
      <Table.Td className={`${styles.wideOnly} tabular`}>{describeNext(schedule)}</Table.Td>
      <Table.Td className={styles.wideOnly}>
        <LastWindow schedule={schedule} />
      </Table.Td>
      <Table.Td>
        <EnabledSwitch schedule={schedule} onDisable={onDisable} />
      </Table.Td>
      <Table.Td>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={messages.actions(name)}>
              <IconDots size={16} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => onEdit(schedule)}>{messages.edit}</Menu.Item>
            <Menu.Item renderRoot={(root) => <Link {...root} to="/sites" search={selection} />}>
              {messages.showSites}
            </Menu.Item>
            <DangerMenuItem onClick={() => onDelete(schedule)}>{messages.delete}</DangerMenuItem>
          </Menu.Dropdown>
        </Menu>
      </Table.Td>
    </Table.Tr>
  );
}

function describeNext(schedule: Schedule): string {
  const { enabled, next_opens_at } = schedule;
  if (!enabled) return messages.off;
  if (next_opens_at === null) return messages.over;
  return Date.parse(next_opens_at) <= Date.now()
    ? messages.openNow
    : messages.opening(next_opens_at, schedule);
}

/**
 * Shows the day of the last window, and links to the last run, or to the last rollout of a schedule in rings. The run can
 * be older: a window without pending updates starts none.
 */
function LastWindow({ schedule }: { schedule: Schedule }) {
  const { last_day, last_error_code, last_run_id, last_rollout_id } = schedule;
  if (last_day === null && last_run_id === null) return messages.never;
  return (
    <>
      {last_day !== null && (
        <div>
          {last_error_code === null ? messages.lastDay(last_day) : messages.notStarted(last_day)}
        </div>
      )}
      {last_rollout_id !== null && schedule.in_rings ? (
        <TextLink to="/rollouts/$rolloutId" params={{ rolloutId: String(last_rollout_id) }}>
          {messages.rollout(last_rollout_id)}
        </TextLink>
      ) : (
        last_run_id !== null && (
          <TextLink to="/runs/$runId" params={{ runId: String(last_run_id) }}>
            {messages.run(last_run_id)}
          </TextLink>
        )
      )}
    </>
  );
}

function EnabledSwitch({
  schedule,
  onDisable,
}: {
  schedule: Schedule;
  onDisable: (schedule: Schedule) => void;
}) {
  const client = useQueryClient();
  const enable = useMutation({
    mutationFn: () => saveSchedule(schedule.schedule_id, { ...toRequest(schedule), enabled: true }),
    onError: notifyError,
    onSuccess: async () => {
      notifySuccess(messages.switchedOn(schedule.name));
      await client.invalidateQueries({ queryKey: schedulesQuery.queryKey });
    },
  });
  return (
    <Switch
      aria-label={messages.switchLabel(schedule.name)}
      checked={schedule.enabled}
      disabled={enable.isPending}
      onChange={() => (schedule.enabled ? onDisable(schedule) : enable.mutate())}
    />
  );
}
