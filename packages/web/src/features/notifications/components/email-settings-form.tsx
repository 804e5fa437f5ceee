import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { EMAIL_MODES, type EmailMode, type EmailSettingsResponse } from '@steward/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Static } from 'typebox';
import { Blockable } from '../../../components/blockable.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { useHasPermission, useUser } from '../../../lib/session.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { notificationsMessages } from '../../../messages/notifications.ts';
import { emailSettingsQuery, saveEmailSettings, sendTestEmail } from '../api.ts';
import { showTestResult } from '../show-test-result.ts';
import { useRefreshNotifications } from '../use-refresh-notifications.ts';
import { EventTypesField } from './event-types-field.tsx';

const messages = notificationsMessages.email;

export function EmailSettingsForm() {
  const { data, error, refetch } = useQuery(emailSettingsQuery);
  if (!data) {
    return error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows rows={5} />;
  }
  return (
    <>
      {error && <ErrorNote error={error} onRetry={refetch} />}
      <SettingsForm response={data} />
    </>
  );
}

function SettingsForm({ response }: { response: Static<typeof EmailSettingsResponse> }) {
  const { settings, available_event_types: available, smtp_configured: canSend } = response;
  const user = useUser();
  const isOwner = useHasPermission('owner');
  const client = useQueryClient();
  const refresh = useRefreshNotifications();
  const [mode, setMode] = useState<EmailMode>(settings.mode);
  const [types, setTypes] = useState(settings.event_types);
  const save = useMutation({
    mutationFn: () => saveEmailSettings({ mode, event_types: types }),
    onSuccess: (saved) => {
      client.setQueryData(emailSettingsQuery.queryKey, saved);
      refresh();
      notifySuccess(messages.saved);
    },
  });
  const test = useMutation({
    mutationFn: sendTestEmail,
    onSuccess: (delivery) => {
      showTestResult(delivery);
      refresh();
    },
  });
  const isChanged = mode !== settings.mode || types.join() !== settings.event_types.join();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="sm" maw={640}>
        {!canSend && !isOwner && <Text c="dimmed">{messages.notConfigured}</Text>}
        <Radio.Group
          label={messages.label}
          description={messages.hint(user.email)}
          value={mode}
          onChange={(value) => setMode(EMAIL_MODES.find((each) => each === value) ?? 'off')}
        >
          <Stack gap={6} mt={6}>
            {EMAIL_MODES.map((each) => (
              <Radio key={each} value={each} label={messages.modes[each]} />
            ))}
          </Stack>
        </Radio.Group>
        {mode !== 'off' && (
          <EventTypesField available={available} value={types} onChange={setTypes} />
        )}
        {save.isError && <ErrorNote error={save.error} />}
        {test.isError && <ErrorNote error={test.error} />}
        <Group gap="xs">
          <Blockable reason={isChanged ? null : blockedMessages.unchanged}>
            <Button type="submit" loading={save.isPending}>
              {messages.save}
            </Button>
          </Blockable>
          {/* Owners have this button next to the state of the mail server. */}
          {canSend && !isOwner && (
            <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
              {messages.test}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
