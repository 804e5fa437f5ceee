import { ActionIcon, Menu, Table, Text, VisuallyHidden } from '@mantine/core';
import { NOTIFICATION_EVENT_TYPES, type NotificationChannel } from '@steward/contract';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { DangerMenuItem } from '../../../components/danger-menu-item.tsx';
import { NameText } from '../../../components/name-text.tsx';
import { RevealDialog } from '../../../components/reveal-dialog.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { notifyError, notifySuccess } from '../../../lib/notify.ts';
import { notificationsMessages } from '../../../messages/notifications.ts';
import { deleteChannel, revealSecret, testChannel, updateChannel } from '../api.ts';
import { showTestResult } from '../show-test-result.ts';
import { useRefreshNotifications } from '../use-refresh-notifications.ts';
import { ChannelDialog } from './channel-dialog.tsx';
import styles from './notifications.module.css';

const messages = notificationsMessages.channels;

export function ChannelTable({ channels }: { channels: NotificationChannel[] }) {
  return (
    <Table className={styles.table} fz="md" aria-label={messages.title}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{messages.columns.name}</Table.Th>
          <Table.Th className={styles.wideOnly}>{messages.columns.events}</Table.Th>
          <Table.Th className={styles.status}>{messages.columns.status}</Table.Th>
          <Table.Th className={styles.menu}>
            <VisuallyHidden>{messages.columns.actions}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {channels.map((channel) => (
          <ChannelRow key={channel.id} channel={channel} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function ChannelRow({ channel }: { channel: NotificationChannel }) {
  const { kind, name, host, event_types: types } = channel;
  const isForAll = types.length === NOTIFICATION_EVENT_TYPES.length;
  return (
    <Table.Tr>
      <Table.Td>
        <div className={styles.name}>
          <NameText>{name}</NameText>
        </div>
        <Text size="xs" c="dimmed" className="truncate">
          {messages.address(notificationsMessages.kinds[kind], host)}
        </Text>
      </Table.Td>
      <Table.Td className={styles.wideOnly}>
        {isForAll ? messages.allEvents : messages.eventCount(types.length)}
      </Table.Td>
      <Table.Td className={styles.status}>
        <ChannelStatus channel={channel} />
      </Table.Td>
      <Table.Td className={styles.menu}>
        <ChannelMenu channel={channel} />
      </Table.Td>
    </Table.Tr>
  );
}

function ChannelStatus({ channel }: { channel: NotificationChannel }) {
  const { enabled, disabled_reason, last_delivery } = channel;
  if (!enabled && disabled_reason === 'gone') {
    return <StatusLabel kind="bad">{messages.gone}</StatusLabel>;
  }
  if (!enabled) return <StatusLabel kind="off">{messages.off}</StatusLabel>;
  if (last_delivery && last_delivery.status !== 'delivered') {
    return <StatusLabel kind="warn">{messages.failing}</StatusLabel>;
  }
  return <StatusLabel kind="good">{messages.on}</StatusLabel>;
}

function ChannelMenu({ channel }: { channel: NotificationChannel }) {
  const { id, name, kind, enabled } = channel;
  const [open, setOpen] = useState<'edit' | 'secret' | 'delete' | null>(null);
  const [isBusy, setBusy] = useState(false);
  const refresh = useRefreshNotifications();
  const close = () => setOpen(null);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    await work().catch(notifyError);
    setBusy(false);
    refresh();
  };
  const sendTest = () => run(async () => showTestResult(await testChannel(id)));
  const toggle = () =>
    run(async () => {
      await updateChannel(id, { enabled: !enabled });
      notifySuccess(enabled ? messages.turnedOff(name) : messages.turnedOn(name));
    });
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            loading={isBusy}
            aria-label={messages.menu(name)}
          >
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void sendTest()}>{messages.test}</Menu.Item>
          <Menu.Item onClick={() => setOpen('edit')}>{messages.edit}</Menu.Item>
          {kind === 'webhook' && (
            <Menu.Item onClick={() => setOpen('secret')}>{messages.reveal}</Menu.Item>
          )}
          <Menu.Item onClick={() => void toggle()}>
            {enabled ? messages.turnOff : messages.turnOn}
          </Menu.Item>
          <DangerMenuItem onClick={() => setOpen('delete')}>{messages.delete}</DangerMenuItem>
        </Menu.Dropdown>
      </Menu>
      {open === 'edit' && <ChannelDialog channel={channel} onClose={close} />}
      {open === 'secret' && (
        <RevealDialog
          messages={notificationsMessages.secret}
          reveal={() => revealSecret(id)}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title={messages.deleteTitle(name)}
          confirmLabel={messages.delete}
          isDangerous
          onConfirm={async () => {
            await deleteChannel(id);
            refresh();
            notifySuccess(messages.deleted(name));
          }}
          onClose={close}
        >
          {messages.deleteEffect}
        </ConfirmDialog>
      )}
    </>
  );
}
