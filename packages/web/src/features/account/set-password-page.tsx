import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorNote } from '../../components/error-note.tsx';
import { NewPasswordInput, passwordFault } from '../../components/password-fields.tsx';
import { sayDone } from '../../lib/notify.ts';
import { setPassword, tokenInAddress } from './api.ts';
import { Door } from './components/door.tsx';

/** Where the link leads that an owner has sent somebody. */
export function SetPasswordPage() {
  const navigate = useNavigate();
  const [fault, setFault] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm({ initialValues: { password: '' }, validate: { password: passwordFault } });

  const submit = form.onSubmit(async ({ password }) => {
    setBusy(true);
    setFault(null);
    try {
      await setPassword({ token: tokenInAddress(), new_password: password });
      sayDone('Your password is set. Sign in with it.');
      await navigate({ to: '/sign-in', replace: true });
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  });

  return (
    <Door title="Choose a password" note="You sign in with it and your e-mail address.">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <NewPasswordInput label="Password" autoFocus {...form.getInputProps('password')} />
          {fault !== null && <ErrorNote error={fault} />}
          <Button type="submit" loading={isBusy} fullWidth>
            Set password
          </Button>
        </Stack>
      </form>
    </Door>
  );
}
