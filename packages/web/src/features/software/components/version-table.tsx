import { Table, Text, VisuallyHidden } from '@mantine/core';
import { isManagementPlugin, type SoftwareVersion } from '@steward/contract';
import { IconArrowRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import table from '../../../components/page-table.module.css';
import { StatusLabel } from '../../../components/status-label.tsx';
import { LinkButton } from '../../../components/text-link.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { useHasPermission } from '../../../lib/session.ts';
import type { SoftwareDetails } from '../../../lib/software-api.ts';
import { holdMessages } from '../../../messages/holds.ts';
import { softwareMessages } from '../../../messages/software.ts';
import { HoldVersionButton } from '../../rules/index.ts';
import styles from './version-table.module.css';

const messages = softwareMessages.item;
const { columns } = messages;

/** The installed versions, newest first. Each row links to its sites. */
export function VersionTable({ software }: { software: SoftwareDetails }) {
  const canBeActive = software.type !== 'core';
  // Rules do not apply to the Steward plugin. Only owners change rules.
  const canHold = useHasPermission('owner') && !isManagementPlugin(software.slug);
  return (
    <>
      <Table className={table.table} borderColor="var(--steward-line)">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{columns.version}</Table.Th>
            <Table.Th className={styles.number}>{columns.sites}</Table.Th>
            {canBeActive && (
              <Table.Th className={`${styles.number} ${styles.active}`}>{columns.active}</Table.Th>
            )}
            <Table.Th className={styles.number}>{columns.outdated}</Table.Th>
            <Table.Th className={styles.offers}>{columns.offers}</Table.Th>
            {canHold && (
              <Table.Th className={styles.hold}>
                <VisuallyHidden>{columns.actions}</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {software.versions.map((version) => (
            <Row key={version.version} software={software} version={version} canHold={canHold} />
          ))}
        </Table.Tbody>
      </Table>
      {software.other_versions > 0 && (
        <Text c="dimmed" size="sm" mt="xs">
          {messages.otherVersions(software.other_versions)}
        </Text>
      )}
    </>
  );
}

type RowProps = { software: SoftwareDetails; version: SoftwareVersion; canHold: boolean };

function Row({ software, version: row, canHold }: RowProps) {
  const { type, slug, name, newest_version } = software;
  const { version, sites, active_sites, outdated_sites } = row;
  const isQuarantined = software.holds?.some(
    (held) => held.version === version && held.hold.reason === 'quarantined',
  );
  return (
    <Table.Tr className={`${styles.row} ${table.row}`}>
      <Table.Td>
        <span className={styles.version}>
          <Link
            to="/software/item"
            search={{ type, slug, version }}
            resetScroll={false}
            className={`${styles.link} mono tabular truncate`}
            title={messages.sitesWith(name, version)}
          >
            {version}
          </Link>
          {version === newest_version && <span className={styles.mark}>{messages.newestMark}</span>}
        </span>
      </Table.Td>
      <Table.Td className={`${styles.number} tabular`}>{formatNumber(sites)}</Table.Td>
      {type !== 'core' && (
        <Table.Td className={`${styles.number} ${styles.active} tabular`}>
          {active_sites > 0 ? formatNumber(active_sites) : <None />}
        </Table.Td>
      )}
      <Table.Td className={`${styles.number} tabular`}>
        {outdated_sites > 0 ? (
          <StatusLabel kind="pending">{formatNumber(outdated_sites)}</StatusLabel>
        ) : (
          <None />
        )}
      </Table.Td>
      <Table.Td className={`${styles.offers} tabular`}>
        <Offers version={row} />
      </Table.Td>
      {canHold && (
        <Table.Td className={styles.hold}>
          {isQuarantined ? (
            <LinkButton
              to="/rules"
              size="compact-xs"
              variant="subtle"
              leftSection={<IconArrowRight size={14} aria-hidden />}
              aria-label={holdMessages.hold.openQuarantine}
            >
              {holdMessages.hold.openQuarantine}
            </LinkButton>
          ) : (
            <HoldVersionButton
              item={{ type, slug, name }}
              version={version}
              size="compact-xs"
              variant="subtle"
            />
          )}
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function Offers({ version: { offers, outdated_sites } }: { version: SoftwareVersion }) {
  const [first] = offers;
  if (!first) return <None />;
  // The column for outdated sites already shows the number of sites.
  if (offers.length === 1 && first.sites === outdated_sites) return first.new_version;
  return messages.offers(offers);
}

const None = () => <span className={styles.none}>{softwareMessages.none}</span>;
