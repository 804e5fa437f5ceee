import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import {
  NewPasswordInput,
  PasswordField,
  passwordFault,
} from '../../../components/password-fields.tsx';
import { sayDone } from '../../../lib/notify.ts';
import { changePassword, sessionsQuery } from '../api.ts';

export function ChangePassword() {
  const client = useQueryClient();
  const [fault, setFault] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    initialValues: { current_password: '', new_password: '', end_other_sessions: true },
    validate: { new_password: passwordFault },
  });

  const submit = form.onSubmit(async (values) => {
    setBusy(true);
    setFault(null);
    try {
      await changePassword(values);
      form.reset();
      sayDone('Your password is changed.');
      await client.invalidateQueries(sessionsQuery);
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  });

  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={360}>
        <PasswordField label="Current password" {...form.getInputProps('current_password')} />
        <NewPasswordInput label="New password" {...form.getInputProps('new_password')} />
        <Checkbox
          label="Sign out everywhere else"
          {...form.getInputProps('end_other_sessions', { type: 'checkbox' })}
        />
        {fault !== null && <ErrorNote error={fault} />}
        <Group>
          <Button type="submit" loading={isBusy}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
