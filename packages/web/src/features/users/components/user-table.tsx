import { Table, UnstyledButton } from '@mantine/core';
import type { UserSummary } from '@steward/contract';
import { NameText } from '../../../components/name-text.tsx';
import table from '../../../components/page-table.module.css';
import { StatusLabel } from '../../../components/status-label.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { rolesMessages } from '../../../messages/roles.ts';
import { usersMessages } from '../../../messages/users.ts';
import styles from './user-table.module.css';

const { columns } = usersMessages;

type Props = { users: UserSummary[]; openId: number | null; onOpen: (id: number) => void };

export function UserTable({ users, openId, onOpen }: Props) {
  return (
    <Table className={styles.table} fz="md">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{columns.name}</Table.Th>
          <Table.Th className={styles.wideOnly}>{columns.email}</Table.Th>
          <Table.Th className={styles.wideOnly}>{columns.role}</Table.Th>
          <Table.Th className={styles.state}>{columns.status}</Table.Th>
          <Table.Th className={styles.wideOnly}>{columns.secondFactor}</Table.Th>
          <Table.Th className={styles.wideOnly}>{columns.lastSignIn}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {users.map((user) => (
          <UserRow
            key={user.id}
            user={user}
            isOpen={user.id === openId}
            onOpen={() => onOpen(user.id)}
          />
        ))}
      </Table.Tbody>
    </Table>
  );
}

type RowProps = { user: UserSummary; isOpen: boolean; onOpen: () => void };

function UserRow({ user, isOpen, onOpen }: RowProps) {
  const { label } = rolesMessages[user.role];
  return (
    <Table.Tr
      className={`${styles.row} ${table.row}`}
      data-open={isOpen || undefined}
      onClick={onOpen}
    >
      <Table.Td>
        {/* The click bubbles to the row. */}
        <UnstyledButton className={styles.name}>
          <NameText>{user.name}</NameText>
        </UnstyledButton>
        <div className={`${styles.subtitle} truncate`}>
          {usersMessages.roleAndEmail(label, user.email)}
        </div>
      </Table.Td>
      <Table.Td className={styles.wideOnly}>
        <NameText>{user.email}</NameText>
      </Table.Td>
      <Table.Td className={styles.wideOnly}>{label}</Table.Td>
      <Table.Td className={styles.state}>
        <UserStatus user={user} />
      </Table.Td>
      <Table.Td className={styles.wideOnly}>
        {user.second_factor ? usersMessages.hasSecondFactor : usersMessages.hasNoSecondFactor}
      </Table.Td>
      <Table.Td className={styles.wideOnly}>
        <RelativeTime at={user.last_sign_in_at} />
      </Table.Td>
    </Table.Tr>
  );
}

function UserStatus({ user: { disabled, invited } }: { user: UserSummary }) {
  if (disabled) return <StatusLabel kind="off">{usersMessages.disabled}</StatusLabel>;
  if (invited) return <StatusLabel kind="waiting">{usersMessages.invited}</StatusLabel>;
  return <StatusLabel kind="good">{usersMessages.enabled}</StatusLabel>;
}
