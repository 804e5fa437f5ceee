import { Table } from '@mantine/core';
import type { SoftwareItem, SoftwareSort, SortOrder } from '@steward/contract';
import { NameText } from '../../../components/name-text.tsx';
import table from '../../../components/page-table.module.css';
import { SoftwareLink } from '../../../components/software-link.tsx';
import { ariaSort, SortButton } from '../../../components/sort-button.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { VersionsBar } from '../../../components/versions-bar.tsx';
import { formatNumber } from '../../../lib/format.ts';
import type { SoftwareView } from '../../../lib/software-api.ts';
import { softwareMessages } from '../../../messages/software.ts';
import styles from './software-table.module.css';

const { columns } = softwareMessages;

type Props = {
  software: SoftwareItem[];
  view: SoftwareView;
  /** Absent in the list of core, which has only one row. */
  onSort?: ((sort: SoftwareSort, direction: SortOrder) => void) | undefined;
};

export function SoftwareTable({ software, view, onSort }: Props) {
  const head = (sort: SoftwareSort, firstOrder: SortOrder, className: string | undefined) => (
    <HeadCell
      sort={sort}
      firstOrder={firstOrder}
      view={view}
      onSort={onSort}
      className={className}
    />
  );
  return (
    <Table className={`${table.table} ${styles.table}`} borderColor="var(--steward-line)">
      <Table.Thead>
        <Table.Tr>
          {head('name', 'asc', undefined)}
          {head('sites', 'desc', styles.sites)}
          <Table.Th className={styles.active}>{columns.active}</Table.Th>
          <Table.Th className={styles.versions}>{columns.versions}</Table.Th>
          {head('outdated', 'desc', styles.outdated)}
          <Table.Th className={styles.newest}>{columns.newest}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {software.map((item) => (
          <Row key={`${item.type} ${item.slug}`} item={item} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Row({ item }: { item: SoftwareItem }) {
  const {
    type,
    slug,
    name,
    sites,
    active_sites,
    outdated_sites,
    newest_version,
    holds = [],
  } = item;
  return (
    <Table.Tr className={`${styles.row} ${table.row}`}>
      <Table.Td>
        <SoftwareLink type={type} slug={slug} className={styles.name}>
          <NameText>{name}</NameText>
        </SoftwareLink>
        {slug !== name && type !== 'core' && (
          <span className={`${styles.slug} mono`}>
            <NameText>{slug}</NameText>
          </span>
        )}
        {holds.map(({ version, hold }) => (
          <span key={version} className={styles.held} title={hold.explanation}>
            <StatusLabel kind="locked">
              {softwareMessages.held(version, hold.reason === 'quarantined')}
            </StatusLabel>
          </span>
        ))}
        <span className={styles.narrowNote}>{softwareMessages.sites(sites)}</span>
      </Table.Td>
      <Table.Td className={`${styles.sites} tabular`}>{formatNumber(sites)}</Table.Td>
      <Table.Td className={`${styles.active} tabular`}>
        {active_sites > 0 ? formatNumber(active_sites) : <None />}
      </Table.Td>
      <Table.Td className={styles.versions}>
        <VersionsBar item={item} />
      </Table.Td>
      <Table.Td className={`${styles.outdated} tabular`}>
        {outdated_sites > 0 ? (
          <StatusLabel kind="pending">{formatNumber(outdated_sites)}</StatusLabel>
        ) : (
          <None />
        )}
      </Table.Td>
      <Table.Td className={`${styles.newest} tabular truncate`} title={newest_version}>
        {newest_version}
      </Table.Td>
    </Table.Tr>
  );
}

const None = () => <span className={styles.none}>{softwareMessages.none}</span>;

type HeadProps = {
  sort: SoftwareSort;
  /** The order after the first click. */
  firstOrder: SortOrder;
  view: SoftwareView;
  onSort: Props['onSort'];
  className: string | undefined;
};

function HeadCell({ sort, firstOrder, view, onSort, className }: HeadProps) {
  const isCurrent = onSort !== undefined && (view.sort ?? 'name') === sort;
  const order: SortOrder | null = isCurrent ? (view.direction ?? 'asc') : null;
  return (
    <Table.Th className={className} aria-sort={ariaSort(order)}>
      {onSort ? (
        <SortButton
          label={columns[sort]}
          order={order}
          firstOrder={firstOrder}
          onSort={(direction) => onSort(sort, direction)}
        />
      ) : (
        columns[sort]
      )}
    </Table.Th>
  );
}
