import { Table, UnstyledButton } from '@mantine/core';
import type { UserSummary } from '@steward/contract';
import { Light } from '../../../components/light.tsx';
import { Ago } from '../../../components/moment.tsx';
import table from '../../../components/page-table.module.css';
import { ROLE_WORDS } from '../../../lib/role-words.ts';
import styles from './user-table.module.css';

type Props = { users: UserSummary[]; openId: number | null; onOpen: (id: number) => void };

export function UserTable({ users, openId, onOpen }: Props) {
  return (
    <Table className={styles.table} fz="md">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th className={styles.aside}>E-mail</Table.Th>
          <Table.Th className={styles.aside}>Role</Table.Th>
          <Table.Th className={styles.state}>State</Table.Th>
          <Table.Th className={styles.aside}>Second factor</Table.Th>
          <Table.Th className={styles.aside}>Last sign-in</Table.Th>
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
  const { label } = ROLE_WORDS[user.role];
  return (
    <Table.Tr
      className={`${styles.row} ${table.row}`}
      data-open={isOpen || undefined}
      onClick={onOpen}
    >
      <Table.Td>
        {/* Its click reaches the row. */}
        <UnstyledButton className={`${styles.name} cut`}>{user.name}</UnstyledButton>
        <div className={`${styles.under} cut`}>
          {label}, {user.email}
        </div>
      </Table.Td>
      <Table.Td className={`${styles.aside} cut`}>{user.email}</Table.Td>
      <Table.Td className={styles.aside}>{label}</Table.Td>
      <Table.Td className={styles.state}>
        {user.disabled ? <Light look="off">Disabled</Light> : <Light look="good">Enabled</Light>}
      </Table.Td>
      <Table.Td className={styles.aside}>{user.second_factor ? 'Yes' : 'No'}</Table.Td>
      <Table.Td className={styles.aside}>
        <Ago at={user.last_sign_in_at} />
      </Table.Td>
    </Table.Tr>
  );
}
