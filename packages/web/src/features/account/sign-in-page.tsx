import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorNote } from '../../components/error-note.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { errorCodeOf } from '../../lib/api.ts';
import { changeUser } from '../../lib/session.ts';
import { accountMessages } from '../../messages/account.ts';
import { canResetPasswordQuery, setupNeededQuery, signIn } from './api.ts';
import { PasskeySignIn } from './components/passkey-sign-in.tsx';
import { PasswordField } from './components/password-fields.tsx';
import { SecondStep } from './components/second-step.tsx';
import { SetupPending } from './components/setup-pending.tsx';
import { SignedOutLayout } from './components/signed-out-layout.tsx';
import { readMethods } from './read-methods.ts';

const route = getRouteApi('/sign-in');
const messages = accountMessages.signIn;

export function SignInPage() {
  const { next } = route.useSearch();
  const navigate = useNavigate();
  const client = useQueryClient();
  const isSetupNeeded = useQuery(setupNeededQuery).data === true;
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [methods, setMethods] = useState<string[] | null>(null);
  const form = useForm({ initialValues: { email: '', password: '' } });
  const openPanel = async (session: Awaited<ReturnType<typeof signIn>>) => {
    changeUser(client, session);
    await navigate({ to: toLocalPath(next), replace: true });
  };

  const submit = form.onSubmit(async (values) => {
    setBusy(true);
    setError(null);
    try {
      await openPanel(await signIn(values));
    } catch (failure) {
      if (errorCodeOf(failure) === 'two_factor_required') setMethods(readMethods(failure));
      else setError(failure);
      setBusy(false);
    }
  });

  if (isSetupNeeded) return <SetupPending />;
  if (methods) {
    const startOver = () => {
      form.reset();
      setMethods(null);
    };
    return <SecondStep methods={methods} onSignedIn={openPanel} onStartOver={startOver} />;
  }
  return (
    <SignedOutLayout title={messages.title}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label={accountMessages.email}
            type="email"
            autoComplete="username"
            autoFocus
            required
            withAsterisk={false}
            {...form.getInputProps('email')}
          />
          <PasswordField label={accountMessages.password} {...form.getInputProps('password')} />
          {error !== null && <ErrorNote error={error} />}
          <Button type="submit" loading={isBusy} fullWidth>
            {messages.submit}
          </Button>
        </Stack>
      </form>
      <PasskeySignIn onSignedIn={openPanel} />
      <ForgotPassword />
    </SignedOutLayout>
  );
}

/** The link is shown only if the panel can send e-mail. */
function ForgotPassword() {
  const { data: canReset, isPending } = useQuery(canResetPasswordQuery);
  if (isPending) return null;
  return (
    <Text size="sm" c="dimmed" mt="md">
      {canReset ? (
        <TextLink to="/forgot-password">{messages.forgotLink}</TextLink>
      ) : (
        messages.forgotPassword
      )}
    </Text>
  );
}

/** Accepts only paths of this panel. Otherwise a link could redirect users to another site after sign-in. */
function toLocalPath(next: string | undefined): string {
  return next?.startsWith('/') && !/^\/[/\\]/.test(next) ? next : '/';
}
