import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorNote } from '../../components/error-note.tsx';
import { errorCodeOf } from '../../lib/api.ts';
import { notifySuccess } from '../../lib/notify.ts';
import { changeUser } from '../../lib/session.ts';
import { accountMessages } from '../../messages/account.ts';
import { readTokenFromUrl, type Session, setPassword } from './api.ts';
import { NewPasswordField, validatePassword } from './components/password-fields.tsx';
import { SecondStep } from './components/second-step.tsx';
import { SignedOutLayout } from './components/signed-out-layout.tsx';
import { readMethods } from './read-methods.ts';

const messages = accountMessages.setPassword;

/** The page that a password link opens. An invitation also signs the user in. */
export function SetPasswordPage() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [methods, setMethods] = useState<string[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: validatePassword },
  });

  const goToSignIn = () => navigate({ to: '/sign-in', replace: true });
  const openPanel = async (session: Session) => {
    changeUser(client, session);
    await navigate({ to: '/', replace: true });
  };

  const submit = form.onSubmit(async ({ password }) => {
    setBusy(true);
    setError(null);
    try {
      const { user, csrf_token, success } = await setPassword({
        token: readTokenFromUrl(),
        new_password: password,
      });
      if (user && csrf_token !== undefined) return await openPanel({ success, user, csrf_token });
      notifySuccess(messages.done);
      await goToSignIn();
    } catch (failure) {
      if (errorCodeOf(failure) === 'two_factor_required') setMethods(readMethods(failure));
      else setError(failure);
      setBusy(false);
    }
  });

  if (methods) {
    return <SecondStep methods={methods} onSignedIn={openPanel} onStartOver={goToSignIn} />;
  }

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
