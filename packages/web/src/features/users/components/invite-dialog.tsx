import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { PasswordLink, Role, UserSummary } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogFooter } from '../../../components/dialog-footer.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { inviteUser, usersQuery } from '../../../lib/users-api.ts';
import { commonMessages } from '../../../messages/common.ts';
import { usersMessages } from '../../../messages/users.ts';
import { PasswordLinkNote } from './password-link-note.tsx';
import { RoleField } from './role-field.tsx';

const messages = usersMessages.inviteDialog;

type Invited = { user: UserSummary; link: PasswordLink };
type Props = { onClose: () => void; onOpenUser: (id: number) => void };

/** Creates a user, then shows the password link once. */
export function InviteDialog({ onClose, onOpenUser }: Props) {
  const [invited, setInvited] = useState<Invited | null>(null);
  return (
    <Dialog
      title={invited ? messages.invited(invited.user.name) : usersMessages.invite}
      onClose={onClose}
      // An accidental click or key press must not close the dialog: the link would be lost.
      closeOnClickOutside={!invited}
      closeOnEscape={!invited}
      size="md"
    >
      {invited ? (
        <Stack gap="md">
          <PasswordLinkNote link={invited.link} email={invited.user.email} />
          <DialogFooter>
            {invited.user.role !== 'owner' && (
              <Button variant="default" onClick={() => onOpenUser(invited.user.id)}>
                {messages.chooseSites}
              </Button>
            )}
            <Button onClick={onClose}>{commonMessages.done}</Button>
          </DialogFooter>
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
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useForm({ initialValues: { email: '', name: '', role: 'manager' as Role } });

  const submit = form.onSubmit(async ({ email, name, role }) => {
    setBusy(true);
    setError(null);
    try {
      const trimmed = name.trim();
      const invited = await inviteUser({ email, role, ...(trimmed !== '' && { name: trimmed }) });
      void client.invalidateQueries(usersQuery);
      onInvited({ user: invited.user, link: invited.password_link });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  });

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={messages.email}
          type="email"
          required
          withAsterisk={false}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('email')}
        />
        <TextInput
          label={messages.name}
          description={messages.nameHint}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <RoleField value={form.values.role} onChange={(role) => form.setFieldValue('role', role)} />
        {error !== null && <ErrorNote error={error} />}
        <DialogFooter>
          <Button variant="default" onClick={onClose}>
            {commonMessages.cancel}
          </Button>
          <Button type="submit" loading={isBusy}>
            {usersMessages.invite}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  );
}
