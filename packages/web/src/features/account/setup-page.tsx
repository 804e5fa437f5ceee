import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorNote } from '../../components/error-note.tsx';
import { NewPasswordInput, passwordFault } from '../../components/password-fields.tsx';
import { LinkButton } from '../../components/text-link.tsx';
import { changeUser } from '../../lib/session.ts';
import { setUp, setupNeededQuery, tokenInAddress } from './api.ts';
import { Door } from './components/door.tsx';
import { NobodyYet } from './components/nobody-yet.tsx';

/** The first owner of a new panel, who comes by the link that it has printed. */
export function SetupPage() {
  const { data: isNeeded, isPending } = useQuery(setupNeededQuery);
  if (isPending) return null;
  if (isNeeded === false) return <SetUpAlready />;
  return tokenInAddress() === '' ? <NobodyYet /> : <FirstOwner />;
}

function SetUpAlready() {
  return (
    <Door title="This panel is set up already" note="It has an owner, who can invite others.">
      <LinkButton to="/sign-in" fullWidth>
        Sign in
      </LinkButton>
    </Door>
  );
}

function FirstOwner() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [fault, setFault] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    initialValues: { name: '', email: '', password: '' },
    validate: { password: passwordFault },
  });

  const submit = form.onSubmit(async (values) => {
    setBusy(true);
    setFault(null);
    try {
      changeUser(client, await setUp({ ...values, token: tokenInAddress() }));
      await navigate({ to: '/', replace: true });
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  });

  return (
    <Door title="Set up your panel" note="You become its owner and can invite others later.">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            autoComplete="name"
            autoFocus
            required
            withAsterisk={false}
            {...form.getInputProps('name')}
          />
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            {...form.getInputProps('email')}
          />
          <NewPasswordInput label="Password" {...form.getInputProps('password')} />
          {fault !== null && <ErrorNote error={fault} />}
          <Button type="submit" loading={isBusy} fullWidth>
            Create my account
          </Button>
        </Stack>
      </form>
    </Door>
  );
}
