import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UserSummary } from '@steward/contract';
import { useMutation } from '@tanstack/react-query';
import { Blockable } from '../../../components/blockable.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { changeUserProfile } from '../../../lib/users-api.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { usersMessages } from '../../../messages/users.ts';
import { useRefreshUsers } from '../use-refresh-users.ts';
import { RoleField } from './role-field.tsx';

const messages = usersMessages.profile;

/** Changes the name and role of a user. The button is disabled until one of them changes. */
export function ProfileForm({ user }: { user: UserSummary }) {
  const refresh = useRefreshUsers();
  const form = useForm({ initialValues: { name: user.name, role: user.role } });
  const { name, role } = form.values;
  const isChanged = name.trim() !== user.name || role !== user.role;
  const save = useMutation({
    mutationFn: () =>
      changeUserProfile(user.id, {
        ...(name.trim() !== user.name && { name: name.trim() }),
        // Omit an unchanged role: the panel requires a confirmation of identity for requests with a role.
        ...(role !== user.role && { role }),
      }),
    onSuccess: async ({ user: changed }) => {
      form.setValues({ name: changed.name, role: changed.role });
      await refresh(changed);
      notifySuccess(messages.saved(changed.name));
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => save.mutate())}>
      <Stack gap="sm">
        <TextInput
          label={messages.name}
          required
          withAsterisk={false}
          maxLength={100}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <RoleField value={role} onChange={(chosen) => form.setFieldValue('role', chosen)} />
        {save.isError && <ErrorNote error={save.error} />}
        <Group>
          <Blockable reason={isChanged ? null : blockedMessages.unchanged}>
            <Button type="submit" loading={save.isPending}>
              {messages.submit}
            </Button>
          </Blockable>
        </Group>
      </Stack>
    </form>
  );
}
