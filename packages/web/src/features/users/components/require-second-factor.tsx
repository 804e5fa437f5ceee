import { Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { count } from '../../../lib/format.ts';
import { sayDone } from '../../../lib/notify.ts';
import { changeSettings, settingsQuery } from '../../../lib/users-api.ts';

/** Owners decide whether the password is enough. */
export function RequireSecondFactor({ without }: { without: number }) {
  const client = useQueryClient();
  const { data } = useQuery(settingsQuery);
  const [isAsking, setAsking] = useState(false);
  const change = async (isRequired: boolean) => {
    client.setQueryData(
      settingsQuery.queryKey,
      await changeSettings({ require_second_factor: isRequired }),
    );
    sayDone(
      isRequired ? 'Everyone needs a second factor now.' : 'A second factor is optional now.',
    );
  };
  const stop = useMutation({ mutationFn: () => change(false) });
  if (!data) return null;
  return (
    <>
      <Switch
        label="Require a second factor for everyone"
        mb="sm"
        checked={data.settings.require_second_factor}
        disabled={stop.isPending}
        onChange={(event) => {
          if (event.currentTarget.checked) setAsking(true);
          else stop.mutate();
        }}
      />
      {stop.isError && <ErrorNote error={stop.error} />}
      {isAsking && (
        <ConfirmDialog
          title="Require a second factor"
          confirmLabel="Require second factor"
          onConfirm={() => change(true)}
          onClose={() => setAsking(false)}
        >
          <Text>
            {without === 0
              ? 'Everyone has one already.'
              : `${count(without, 'user')} without one can only open their account page until they have set one up, also where they are signed in now.`}
          </Text>
        </ConfirmDialog>
      )}
    </>
  );
}
