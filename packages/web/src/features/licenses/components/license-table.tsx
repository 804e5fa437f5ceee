import { Table } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { LicenseSummary } from '@steward/contract';
import { Link } from '@tanstack/react-router';
import { LicenseName } from '../../../components/license-name.tsx';
import table from '../../../components/page-table.module.css';
import { RelativeTime } from '../../../components/time.tsx';
import { licensesMessages } from '../../../messages/licenses.ts';
import { ExpiryTime } from './expiry-time.tsx';
import { LicenseStatusLabel } from './license-status-label.tsx';
import styles from './license-table.module.css';
import { SeatsBar } from './seats-bar.tsx';

const { columns } = licensesMessages;

/** On a phone, the expiry is below the name, because its column does not fit. */
export function LicenseTable({ licenses }: { licenses: LicenseSummary[] }) {
  const isNarrow = useMediaQuery('(max-width: 699px)', false, { getInitialValueInEffect: false });
  return (
    <Table className={table.table} borderColor="var(--steward-line)">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{columns.license}</Table.Th>
          <Table.Th className={styles.status}>{columns.status}</Table.Th>
          <Table.Th className={styles.sites}>{columns.sites}</Table.Th>
          {!isNarrow && <Table.Th className={styles.expires}>{columns.expires}</Table.Th>}
          <Table.Th className={styles.created}>{columns.created}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {licenses.map((license) => (
          <Table.Tr key={license.id} className={`${styles.row} ${table.row}`}>
            <Table.Td className={styles.nameCell}>
              <Link
                to="/licenses/$licenseId"
                params={{ licenseId: String(license.id) }}
                className={styles.name}
              >
                <LicenseName license={license} />
              </Link>
              {license.customer && <span className={styles.customer}>{license.customer}</span>}
              {isNarrow && <Expiry license={license} />}
            </Table.Td>
            <Table.Td className={styles.status}>
              <LicenseStatusLabel status={license.status} />
            </Table.Td>
            <Table.Td className={styles.sites}>
              <SeatsBar used={license.sites_used} limit={license.site_limit} />
            </Table.Td>
            {!isNarrow && (
              <Table.Td className={styles.expires}>
                <ExpiryTime license={license} />
              </Table.Td>
            )}
            <Table.Td className={styles.created}>
              <RelativeTime at={license.created_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Expiry({ license }: { license: LicenseSummary }) {
  const { expires_at, status } = license;
  if (expires_at === null || status === 'revoked') return null;
  const hasExpired = new Date(expires_at).getTime() <= Date.now();
  return (
    <div className={styles.expiry}>
      {hasExpired ? licensesMessages.expired : licensesMessages.expires}{' '}
      <ExpiryTime license={license} />
    </div>
  );
}
