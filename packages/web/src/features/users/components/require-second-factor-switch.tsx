import { Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { PageSection } from '../../../components/page-section.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { changeSettings, settingsQuery } from '../../../lib/users-api.ts';
import { usersMessages } from '../../../messages/users.ts';

const messages = usersMessages.secondFactor;

/** The setting that requires a second factor from all users. */
export function RequireSecondFactorSwitch({
  usersWithoutSecondFactor,
}: {
  usersWithoutSecondFactor: number;
}) {
  const client = useQueryClient();
  const { data } = useQuery(settingsQuery);
  const [isAsking, setAsking] = useState(false);
  const change = async (isRequired: boolean) => {
    client.setQueryData(
      settingsQuery.queryKey,
      await changeSettings({ require_second_factor: isRequired }),
    );
    notifySuccess(isRequired ? messages.required : messages.optional);
  };
  const makeOptional = useMutation({ mutationFn: () => change(false) });
  if (!data) return null;
  return (
    <PageSection id="require-second-factor">
      <Switch
        label={messages.label}
        mb="sm"
        checked={data.settings.require_second_factor}
        disabled={makeOptional.isPending}
        onChange={(event) => {
          if (event.currentTarget.checked) setAsking(true);
          else makeOptional.mutate();
        }}
      />
      {makeOptional.isError && <ErrorNote error={makeOptional.error} />}
      {isAsking && (
        <ConfirmDialog
          title={messages.title}
          confirmLabel={messages.confirm}
          onConfirm={() => change(true)}
          onClose={() => setAsking(false)}
        >
          <Text>{messages.effect(usersWithoutSecondFactor)}</Text>
        </ConfirmDialog>
      )}
    </PageSection>
  );
}
