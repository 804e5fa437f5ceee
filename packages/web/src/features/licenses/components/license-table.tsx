import { Table } from '@mantine/core';
import type { LicenseSummary } from '@steward/contract';
import { Link } from '@tanstack/react-router';
import table from '../../../components/page-table.module.css';
import { SeatsBar } from '../../../components/seats-bar.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { commonMessages } from '../../../messages/common.ts';
import { licensesMessages } from '../../../messages/licenses.ts';
import { ExpiryTime } from './expiry-time.tsx';
import { LicenseStatusLabel } from './license-status-label.tsx';
import styles from './license-table.module.css';

const { columns } = licensesMessages;

export function LicenseTable({ licenses }: { licenses: LicenseSummary[] }) {
  return (
    <Table className={table.table} borderColor="var(--steward-line)">
      <Table.Thead>
        <Table.Tr>
          <Table.Th className={styles.keyColumn}>{columns.key}</Table.Th>
          <Table.Th className={styles.planColumn}>{columns.plan}</Table.Th>
          <Table.Th className={styles.status}>{columns.status}</Table.Th>
          <Table.Th>{columns.sites}</Table.Th>
          <Table.Th className={styles.expires}>{columns.expires}</Table.Th>
          <Table.Th className={styles.created}>{columns.created}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {licenses.map((license) => (
          <Table.Tr key={license.id} className={`${styles.row} ${table.row}`}>
            <Table.Td className={styles.keyColumn}>
              <Link
                to="/licenses/$licenseId"
                params={{ licenseId: String(license.id) }}
                className={`${styles.key} mono`}
              >
                {commonMessages.maskedKey(license.key_last_six)}
              </Link>
            </Table.Td>
            <Table.Td className={`${styles.planColumn} truncate`}>{license.plan.name}</Table.Td>
            <Table.Td className={styles.status}>
              <LicenseStatusLabel status={license.status} />
            </Table.Td>
            <Table.Td>
              <SeatsBar used={license.sites_used} limit={license.site_limit} />
            </Table.Td>
            <Table.Td className={styles.expires}>
              <ExpiryTime at={license.expires_at} />
            </Table.Td>
            <Table.Td className={styles.created}>
              <RelativeTime at={license.created_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
