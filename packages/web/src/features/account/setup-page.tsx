import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorNote } from '../../components/error-note.tsx';
import { LinkButton } from '../../components/text-link.tsx';
import { changeUser } from '../../lib/session.ts';
import { accountMessages } from '../../messages/account.ts';
import { createFirstOwner, readTokenFromUrl, setupNeededQuery } from './api.ts';
import { NewPasswordField, validatePassword } from './components/password-fields.tsx';
import { SetupPending } from './components/setup-pending.tsx';
import { SignedOutLayout } from './components/signed-out-layout.tsx';

const messages = accountMessages.setup;

/** Creates the first owner. The panel prints the link to this page. */
export function SetupPage() {
  const { data: isNeeded, isPending } = useQuery(setupNeededQuery);
  if (isPending) return null;
  if (isNeeded === false) return <SetupComplete />;
  return readTokenFromUrl() === '' ? <SetupPending /> : <FirstOwnerForm />;
}

function SetupComplete() {
  return (
    <SignedOutLayout title={messages.completeTitle} note={messages.completeNote}>
      <LinkButton to="/sign-in" fullWidth>
        {accountMessages.signIn.submit}
      </LinkButton>
    </SignedOutLayout>
  );
}

function FirstOwnerForm() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    initialValues: { name: '', email: '', password: '' },
    validate: { password: validatePassword },
  });

  const submit = form.onSubmit(async (values) => {
    setBusy(true);
    setError(null);
    try {
      changeUser(client, await createFirstOwner({ ...values, token: readTokenFromUrl() }));
      await navigate({ to: '/', replace: true });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  });

  return (
    <SignedOutLayout title={messages.title} note={messages.note}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label={accountMessages.name}
            autoComplete="name"
            autoFocus
            required
            withAsterisk={false}
            {...form.getInputProps('name')}
          />
          <TextInput
            label={accountMessages.email}
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            {...form.getInputProps('email')}
          />
          <NewPasswordField label={accountMessages.password} {...form.getInputProps('password')} />
          {error !== null && <ErrorNote error={error} />}
          <Button type="submit" loading={isBusy} fullWidth>
            {messages.submit}
          </Button>
        </Stack>
      </form>
    </SignedOutLayout>
  );
}
