import { Button, Group, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  CHANNEL_KINDS,
  type ChannelKind,
  NOTIFICATION_EVENT_TYPES,
  type NotificationChannel,
  type NotificationEventType,
} from '@steward/contract';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyField } from '../../../components/copy-field.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogFooter } from '../../../components/dialog-footer.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { commonMessages } from '../../../messages/common.ts';
import { notificationsMessages } from '../../../messages/notifications.ts';
import { createChannel, updateChannel } from '../api.ts';
import { useRefreshNotifications } from '../use-refresh-notifications.ts';
import { EventTypesField } from './event-types-field.tsx';

const { dialog: messages, secret: secretMessages } = notificationsMessages;

/** `channel`: the channel to edit; null for a new one. */
type Props = { channel: NotificationChannel | null; onClose: () => void };

export function ChannelDialog({ channel, onClose }: Props) {
  const [added, setAdded] = useState<{ name: string; secret: string } | null>(null);
  if (added) {
    return (
      <Dialog
        title={messages.added(added.name)}
        onClose={onClose}
        // An accidental click must not hide the secret.
        closeOnClickOutside={false}
        size="lg"
      >
        <Stack gap="sm">
          {secretMessages.next}
          <CopyField label={secretMessages.label} value={added.secret} />
          <DialogFooter>
            <Button onClick={onClose}>{commonMessages.done}</Button>
          </DialogFooter>
        </Stack>
      </Dialog>
    );
  }
  const title = channel ? messages.editTitle(channel.name) : messages.addTitle;
  return (
    <Dialog title={title} onClose={onClose} size="md">
      <ChannelForm channel={channel} onClose={onClose} onAdded={setAdded} />
    </Dialog>
  );
}

type FormProps = Props & { onAdded: (added: { name: string; secret: string }) => void };

function ChannelForm({ channel, onClose, onAdded }: FormProps) {
  const refresh = useRefreshNotifications();
  const form = useForm({
    initialValues: {
      kind: (channel?.kind ?? 'slack') as ChannelKind,
      name: channel?.name ?? '',
      url: '',
      types: (channel?.event_types ?? [...NOTIFICATION_EVENT_TYPES]) as NotificationEventType[],
    },
  });
  const { kind, name, url, types } = form.values;
  const save = useMutation({
    mutationFn: async () => {
      const fields = { name: name.trim(), event_types: types };
      if (!channel) return createChannel({ kind, url: url.trim(), ...fields });
      // Omit an unchanged URL: a new one needs a confirmation of identity.
      await updateChannel(channel.id, { ...fields, ...(url.trim() && { url: url.trim() }) });
      return null;
    },
    onSuccess: (created) => {
      refresh();
      if (created?.signing_secret) {
        return onAdded({ name: created.channel.name, secret: created.signing_secret });
      }
      notifySuccess(messages.saved(name.trim()));
      onClose();
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => save.mutate())}>
      <Stack gap="sm">
        {!channel && (
          <Radio.Group label={messages.kind} {...form.getInputProps('kind')}>
            <Group mt={6}>
              {CHANNEL_KINDS.map((each) => (
                <Radio key={each} value={each} label={notificationsMessages.kinds[each]} />
              ))}
            </Group>
          </Radio.Group>
        )}
        <TextInput
          label={messages.name}
          required
          withAsterisk={false}
          maxLength={100}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label={messages.url}
          description={channel ? messages.keepUrl(channel.host) : messages.urlHints[kind]}
          type="url"
          required={!channel}
          withAsterisk={false}
          autoComplete="off"
          {...form.getInputProps('url')}
        />
        <EventTypesField
          available={NOTIFICATION_EVENT_TYPES}
          value={types}
          onChange={(chosen) => form.setFieldValue('types', chosen)}
        />
        {save.isError && <ErrorNote error={save.error} />}
        <DialogFooter>
          <Button variant="default" onClick={onClose}>
            {commonMessages.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {channel ? messages.submitEdit : messages.submitAdd}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  );
}
