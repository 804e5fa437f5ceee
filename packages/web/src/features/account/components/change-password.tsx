import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { accountMessages } from '../../../messages/account.ts';
import { changePassword, sessionsQuery } from '../api.ts';
import { NewPasswordField, PasswordField, validatePassword } from './password-fields.tsx';

const messages = accountMessages.changePassword;

export function ChangePassword() {
  const client = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    initialValues: { current_password: '', new_password: '', end_other_sessions: true },
    validate: { new_password: validatePassword },
  });

  const submit = form.onSubmit(async (values) => {
    setBusy(true);
    setError(null);
    try {
      await changePassword(values);
      form.reset();
      notifySuccess(messages.done);
      await client.invalidateQueries(sessionsQuery);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  });

  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={360}>
        <PasswordField label={messages.current} {...form.getInputProps('current_password')} />
        <NewPasswordField label={messages.new} {...form.getInputProps('new_password')} />
        <Checkbox
          label={messages.endOtherSessions}
          {...form.getInputProps('end_other_sessions', { type: 'checkbox' })}
        />
        {error !== null && <ErrorNote error={error} />}
        <Group>
          <Button type="submit" loading={isBusy}>
            {messages.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
