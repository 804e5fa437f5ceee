import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { PasswordLink, Role, UserSummary } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { inviteUser, usersQuery } from '../../../lib/users-api.ts';
import { LinkNote } from './link-note.tsx';
import { RoleField } from './role-field.tsx';

type Invited = { user: UserSummary; link: PasswordLink };
type Props = { onClose: () => void; onOpenUser: (id: number) => void };

/** Asks who; then shows the link they need, this once. */
export function InviteDialog({ onClose, onOpenUser }: Props) {
  const [invited, setInvited] = useState<Invited | null>(null);
  return (
    <Dialog
      title={invited ? `${invited.user.name} is invited` : 'Invite user'}
      onClose={onClose}
      // The link would be lost.
      closeOnClickOutside={!invited}
      closeOnEscape={!invited}
      size="md"
    >
      {invited ? (
        <Stack gap="md">
          <LinkNote link={invited.link} email={invited.user.email} />
          <Group justify="flex-end" gap="xs">
            {invited.user.role !== 'owner' && (
              <Button variant="default" onClick={() => onOpenUser(invited.user.id)}>
                Choose their sites
              </Button>
            )}
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <InviteForm onInvited={setInvited} onClose={onClose} />
      )}
    </Dialog>
  );
}

type FormProps = { onInvited: (invited: Invited) => void; onClose: () => void };

function InviteForm({ onInvited, onClose }: FormProps) {
  const client = useQueryClient();
  const [fault, setFault] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm({ initialValues: { email: '', name: '', role: 'manager' as Role } });

  const submit = form.onSubmit(async ({ email, name, role }) => {
    setBusy(true);
    setFault(null);
    try {
      const called = name.trim();
      const answer = await inviteUser({ email, role, ...(called !== '' && { name: called }) });
      void client.invalidateQueries(usersQuery);
      onInvited({ user: answer.user, link: answer.password_link });
    } catch (error) {
      setFault(error);
      setBusy(false);
    }
  });

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="E-mail"
          type="email"
          required
          withAsterisk={false}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <TextInput
          label="Name"
          description="Left empty, it is taken from the e-mail address."
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <RoleField value={form.values.role} onChange={(role) => form.setFieldValue('role', role)} />
        {fault !== null && <ErrorNote error={fault} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            Invite user
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
