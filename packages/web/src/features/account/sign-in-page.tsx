import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorNote } from '../../components/error-note.tsx';
import { PasswordField } from '../../components/password-fields.tsx';
import { ApiError, codeOf } from '../../lib/api.ts';
import { changeUser } from '../../lib/session.ts';
import { setupNeededQuery, signIn } from './api.ts';
import { Door } from './components/door.tsx';
import { NobodyYet } from './components/nobody-yet.tsx';
import { PasskeySignIn } from './components/passkey-sign-in.tsx';
import { SecondStep } from './components/second-step.tsx';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next } = route.useSearch();
  const navigate = useNavigate();
  const client = useQueryClient();
  const isNew = useQuery(setupNeededQuery).data === true;
  const [fault, setFault] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [methods, setMethods] = useState<string[] | null>(null);
  const form = useForm({ initialValues: { email: '', password: '' } });
  const enter = async (session: Awaited<ReturnType<typeof signIn>>) => {
    changeUser(client, session);
    await navigate({ to: ownPath(next), replace: true });
  };

  const submit = form.onSubmit(async (values) => {
    setBusy(true);
    setFault(null);
    try {
      await enter(await signIn(values));
    } catch (error) {
      if (codeOf(error) === 'two_factor_required') setMethods(methodsIn(error));
      else setFault(error);
      setBusy(false);
    }
  });

  if (isNew) return <NobodyYet />;
  if (methods) {
    const startAgain = () => {
      form.reset();
      setMethods(null);
    };
    return <SecondStep methods={methods} onSignedIn={enter} onStartAgain={startAgain} />;
  }
  return (
    <Door title="Sign in">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            autoFocus
            required
            withAsterisk={false}
            {...form.getInputProps('email')}
          />
          <PasswordField label="Password" {...form.getInputProps('password')} />
          {fault !== null && <ErrorNote error={fault} />}
          <Button type="submit" loading={isBusy} fullWidth>
            Sign in
          </Button>
        </Stack>
      </form>
      <PasskeySignIn onSignedIn={enter} />
      <Text size="sm" c="dimmed" mt="md">
        Forgot your password? An owner of the panel can send you a link for a new one.
      </Text>
    </Door>
  );
}

/** What the second step can be made with. */
function methodsIn(error: unknown): string[] {
  const methods = error instanceof ApiError ? error.body.methods : [];
  return Array.isArray(methods) ? methods.map(String) : [];
}

/** Only a path of this panel: a link must not lead somebody elsewhere through its sign-in. */
function ownPath(next: string | undefined): string {
  return next?.startsWith('/') && !/^\/[/\\]/.test(next) ? next : '/';
}
