import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UserSummary } from '@steward/contract';
import { useMutation } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { sayDone } from '../../../lib/notify.ts';
import { changeUserProfile } from '../../../lib/users-api.ts';
import { useRefreshUsers } from '../use-refresh.ts';
import { RoleField } from './role-field.tsx';

/** Name and role. Can only be saved when one of them is another. */
export function ProfileForm({ user }: { user: UserSummary }) {
  const refresh = useRefreshUsers();
  const form = useForm({ initialValues: { name: user.name, role: user.role } });
  const { name, role } = form.values;
  const isChanged = name.trim() !== user.name || role !== user.role;
  const save = useMutation({
    mutationFn: () =>
      changeUserProfile(user.id, {
        ...(name.trim() !== user.name && { name: name.trim() }),
        // A new role has to be confirmed; a new name does not.
        ...(role !== user.role && { role }),
      }),
    onSuccess: async ({ user: changed }) => {
      form.setValues({ name: changed.name, role: changed.role });
      await refresh(changed);
      sayDone(`${changed.name} is changed.`);
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => save.mutate())}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          required
          withAsterisk={false}
          maxLength={100}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <RoleField value={role} onChange={(chosen) => form.setFieldValue('role', chosen)} />
        {save.isError && <ErrorNote error={save.error} />}
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!isChanged}>
            Save changes
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
