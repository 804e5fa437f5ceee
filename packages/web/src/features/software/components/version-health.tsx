import { Select, Table, Text, Title } from '@mantine/core';
import { describeFailingVersion, type SoftwareVersion } from '@steward/contract';
import { useId, useState } from 'react';
import table from '../../../components/page-table.module.css';
import { StatusLabel } from '../../../components/status-label.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { versionHealthMessages as messages } from '../../../messages/version-health.ts';
import { ErrorChart } from './error-chart.tsx';
import styles from './version-health.module.css';

const { columns } = messages;

/** What real requests say about each version: failing versions, numbers, and the errors compared with the version before. */
export function VersionHealth({ versions }: { versions: SoftwareVersion[] }) {
  const titleId = useId();
  const reporting = versions.filter(({ health }) => health.sites_reporting > 0);
  const hasErrors = reporting.some(({ health }) => health.errors > 0);
  return (
    <section aria-labelledby={titleId}>
      <Title order={2} id={titleId} mt="lg">
        {messages.title}
      </Title>
      <Text c="dimmed" size="sm" mb="xs">
        {reporting.length === 0 ? messages.noReports : messages.note}
      </Text>
      <FailingVersions versions={versions} />
      {reporting.length > 0 && <HealthTable versions={versions} />}
      {hasErrors && <Comparison versions={reporting} />}
    </section>
  );
}

function FailingVersions({ versions }: { versions: SoftwareVersion[] }) {
  const failing = versions.filter(({ health }) => health.sites_failing > 0);
  if (failing.length === 0) return null;
  return (
    <ul className={styles.failing} aria-label={messages.failing}>
      {failing.map(({ version, health }) => (
        <li key={version}>
          <StatusLabel kind="bad" isSentence>
            {describeFailingVersion({ version, ...health })}
          </StatusLabel>
        </li>
      ))}
    </ul>
  );
}

function HealthTable({ versions }: { versions: SoftwareVersion[] }) {
  return (
    <Table
      className={`${table.table} ${styles.table}`}
      borderColor="var(--steward-line)"
      aria-label={messages.title}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th className={styles.version}>{columns.version}</Table.Th>
          <Table.Th className={styles.sites}>{columns.sites}</Table.Th>
          <Table.Th>{columns.reporting}</Table.Th>
          <Table.Th>{columns.withErrors}</Table.Th>
          <Table.Th>{columns.errors}</Table.Th>
          <Table.Th>{columns.errorFree}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody className="tabular">
        {versions.map(({ version, health }) => (
          <Table.Tr key={version}>
            <Table.Td className={`${styles.version} mono`}>{version}</Table.Td>
            <Table.Td className={styles.sites}>{formatNumber(health.sites)}</Table.Td>
            <Table.Td>{formatNumber(health.sites_reporting)}</Table.Td>
            <Table.Td>
              <WithErrors health={health} />
            </Table.Td>
            <Table.Td>{formatNumber(health.errors)}</Table.Td>
            <Table.Td>{messages.percent(health.error_free_percent)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function WithErrors({ health }: Pick<SoftwareVersion, 'health'>) {
  const { sites_with_errors, sites_failing } = health;
  const sites = formatNumber(sites_with_errors);
  return sites_failing > 0 ? <StatusLabel kind="bad">{sites}</StatusLabel> : sites;
}

/** Compares a version with the one before, at first the newest. */
function Comparison({ versions }: { versions: SoftwareVersion[] }) {
  const [chosen, setChosen] = useState(versions[0]?.version);
  const index = Math.max(
    0,
    versions.findIndex(({ version }) => version === chosen),
  );
  return (
    <div className={styles.comparison}>
      <div className={styles.head}>
        <Title order={3}>{messages.chart.title}</Title>
        {versions.length > 2 && (
          <Select
            aria-label={messages.chart.version}
            size="xs"
            w={140}
            data={versions.map(({ version }) => version)}
            value={versions[index]?.version ?? null}
            allowDeselect={false}
            onChange={(version) => setChosen(version ?? undefined)}
          />
        )}
      </div>
      <ErrorChart versions={versions.slice(index, index + 2)} />
    </div>
  );
}
