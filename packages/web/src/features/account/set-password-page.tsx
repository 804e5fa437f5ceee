import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorNote } from '../../components/error-note.tsx';
import { notifySuccess } from '../../lib/notify.ts';
import { accountMessages } from '../../messages/account.ts';
import { readTokenFromUrl, setPassword } from './api.ts';
import { NewPasswordField, validatePassword } from './components/password-fields.tsx';
import { SignedOutLayout } from './components/signed-out-layout.tsx';

const messages = accountMessages.setPassword;

/** The page that a password link opens. */
export function SetPasswordPage() {
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: validatePassword },
  });

  const submit = form.onSubmit(async ({ password }) => {
    setBusy(true);
    setError(null);
    try {
      await setPassword({ token: readTokenFromUrl(), new_password: password });
      notifySuccess(messages.done);
      await navigate({ to: '/sign-in', replace: true });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  });

  return (
    <SignedOutLayout title={messages.title} note={messages.note}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <NewPasswordField
            label={accountMessages.password}
            autoFocus
            {...form.getInputProps('password')}
          />
          {error !== null && <ErrorNote error={error} />}
          <Button type="submit" loading={isBusy} fullWidth>
            {messages.submit}
          </Button>
        </Stack>
      </form>
    </SignedOutLayout>
  );
}
