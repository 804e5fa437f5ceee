import { Button } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ErrorNote } from '../../components/error-note.tsx';
import { OwnersOnly } from '../../components/owners-only.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { count } from '../../lib/format.ts';
import { usersQuery } from '../../lib/users-api.ts';
import { InviteDialog } from './components/invite-dialog.tsx';
import { RequireSecondFactor } from './components/require-second-factor.tsx';
import { UserPanel } from './components/user-panel.tsx';
import { UserTable } from './components/user-table.tsx';

const route = getRouteApi('/signed-in/users');

export function UsersPage() {
  return (
    <OwnersOnly title="Users">
      <Users />
    </OwnersOnly>
  );
}

/** The list; who is open, and whether somebody is being invited, stands in the address. */
function Users() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery({ ...usersQuery, placeholderData: keepPreviousData });
  const openId = search.user === undefined ? null : Number(search.user);
  const open = (id: number) => void navigate({ search: { user: String(id) } });
  const close = () => void navigate({ search: {} });
  return (
    <>
      <PageHeader
        title="Users"
        note={data ? noteOf(data.users) : ''}
        action={
          <Button
            leftSection={<IconUserPlus size={15} />}
            onClick={() => void navigate({ search: { new: '1' } })}
          >
            Invite user
          </Button>
        }
      />
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows />}
      {data && <RequireSecondFactor without={countWithout(data.users)} />}
      {data && <UserTable users={data.users} openId={openId} onOpen={open} />}
      {data && openId !== null && (
        <UserPanel key={openId} id={openId} users={data.users} onClose={close} />
      )}
      {search.new !== undefined && <InviteDialog onClose={close} onOpenUser={open} />}
    </>
  );
}

function countWithout(users: { second_factor: boolean; disabled: boolean }[]): number {
  return users.filter((user) => !user.second_factor && !user.disabled).length;
}

function noteOf(users: { disabled: boolean }[]): string {
  const disabled = users.filter((user) => user.disabled).length;
  return `${count(users.length, 'user')}${disabled > 0 ? `, ${disabled} disabled` : ''}`;
}
