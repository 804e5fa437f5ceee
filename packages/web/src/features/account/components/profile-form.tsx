import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Blockable } from '../../../components/blockable.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { sessionQuery, useUser } from '../../../lib/session.ts';
import { usersQuery } from '../../../lib/users-api.ts';
import { accountMessages } from '../../../messages/account.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { changeAccount } from '../api.ts';

const messages = accountMessages.profile;

/** Changes the name and e-mail address of the signed-in user. The button is disabled until one of them changes. */
export function ProfileForm() {
  const user = useUser();
  const client = useQueryClient();
  const form = useForm({ initialValues: { name: user.name, email: user.email } });
  const name = form.values.name.trim();
  const email = form.values.email.trim().toLowerCase();
  const save = useMutation({
    mutationFn: () =>
      changeAccount({
        ...(name !== user.name && { name }),
        // Omit an unchanged address: the panel requires a confirmation of identity for requests with an address.
        ...(email !== user.email && { email }),
      }),
    onSuccess: ({ user: changed }) => {
      form.setValues({ name: changed.name, email: changed.email });
      client.setQueryData(sessionQuery.queryKey, changed);
      void client.invalidateQueries({ ...usersQuery, exact: true });
      notifySuccess(email === user.email ? messages.saved : messages.emailSaved(changed.email));
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => save.mutate())}>
      <Stack gap="sm" maw={360}>
        <TextInput
          label={accountMessages.name}
          required
          withAsterisk={false}
          maxLength={100}
          autoComplete="name"
          {...form.getInputProps('name')}
        />
        <TextInput
          label={accountMessages.email}
          description={messages.emailHint}
          type="email"
          required
          withAsterisk={false}
          maxLength={254}
          autoComplete="email"
          {...form.getInputProps('email')}
        />
        {save.isError && <ErrorNote error={save.error} />}
        <Group>
          <Blockable
            reason={name === user.name && email === user.email ? blockedMessages.unchanged : null}
          >
            <Button type="submit" loading={save.isPending}>
              {messages.submit}
            </Button>
          </Blockable>
        </Group>
      </Stack>
    </form>
  );
}
