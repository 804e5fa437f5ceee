import { Button } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ErrorNote } from '../../components/error-note.tsx';
import { OwnersOnly } from '../../components/owners-only.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { usersQuery } from '../../lib/users-api.ts';
import { usersMessages } from '../../messages/users.ts';
import { InviteDialog } from './components/invite-dialog.tsx';
import { RequireSecondFactorSwitch } from './components/require-second-factor-switch.tsx';
import { UserDrawer } from './components/user-drawer.tsx';
import { UserTable } from './components/user-table.tsx';

const route = getRouteApi('/signed-in/users');

export function UsersPage() {
  return (
    <OwnersOnly title={usersMessages.title}>
      <Users />
    </OwnersOnly>
  );
}

/** The list of users. The URL holds the open user and the invite dialog. */
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
        width="reading"
        title={usersMessages.title}
        note={data ? noteOf(data.users) : ''}
        action={
          <Button
            leftSection={<IconUserPlus size={15} />}
            onClick={() => void navigate({ search: { new: '1' } })}
          >
            {usersMessages.invite}
          </Button>
        }
      />
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows />}
      {data && (
        <RequireSecondFactorSwitch usersWithoutSecondFactor={countWithoutFactor(data.users)} />
      )}
      {data && <UserTable users={data.users} openId={openId} onOpen={open} />}
      {data && openId !== null && (
        <UserDrawer key={openId} id={openId} users={data.users} onClose={close} />
      )}
      {search.new !== undefined && <InviteDialog onClose={close} onOpenUser={open} />}
    </>
  );
}

function countWithoutFactor(users: { second_factor: boolean; disabled: boolean }[]): number {
  return users.filter((user) => !user.second_factor && !user.disabled).length;
}

function noteOf(users: { disabled: boolean }[]): string {
  return usersMessages.note(users.length, users.filter((user) => user.disabled).length);
}
