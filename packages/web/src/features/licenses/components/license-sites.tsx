import { Table, Text } from '@mantine/core';
import { parseRuntime } from '@steward/contract';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { DangerButton } from '../../../components/danger-button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { NameText } from '../../../components/name-text.tsx';
import table from '../../../components/page-table.module.css';
import { TextLink } from '../../../components/text-link.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { type LicenseDetails, type LicenseSite, releaseSite } from '../../../lib/licenses-api.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { licensesMessages } from '../../../messages/licenses.ts';
import { useLicenseChange } from '../use-license-change.ts';
import styles from './license-sites.module.css';

const messages = licensesMessages.siteTable;

/** The newest sites of the license, including disconnected ones. */
export function LicenseSites({ license }: { license: LicenseDetails }) {
  const [toDisconnect, setToDisconnect] = useState<LicenseSite | null>(null);
  const [shown, total] = [license.activations.length, license.activations_total];
  const isTruncated = shown < total;
  if (shown === 0) {
    return (
      <EmptyState title={messages.emptyTitle}>
        {license.valid ? messages.empty : messages.emptyInvalid(license.status)}
      </EmptyState>
    );
  }
  return (
    <>
      <Table className={`${table.table} ${styles.sites}`} borderColor="var(--steward-line)">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{messages.columns.site}</Table.Th>
            <Table.Th className={styles.seat}>{messages.columns.seat}</Table.Th>
            <Table.Th className={styles.versions}>{messages.columns.versions}</Table.Th>
            <Table.Th className={styles.check}>{messages.columns.lastCheckIn}</Table.Th>
            <Table.Th className={styles.act} aria-label={messages.columns.actions} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {license.activations.map((site) => (
            <SiteRow key={site.site_id} site={site} onDisconnect={() => setToDisconnect(site)} />
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" mt="sm">
        {isTruncated && `${messages.newest(shown, total)} `}
        <TextLink inherit to="/sites" search={{ license_id: String(license.id) }}>
          {messages.viewInSites}
        </TextLink>
      </Text>
      {toDisconnect && (
        <DisconnectDialog
          licenseId={license.id}
          site={toDisconnect}
          onClose={() => setToDisconnect(null)}
        />
      )}
    </>
  );
}

function SiteRow({ site, onDisconnect }: { site: LicenseSite; onDisconnect: () => void }) {
  const name = site.site_name;
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink
          inherit
          to="/sites/$siteId"
          params={{ siteId: String(site.site_id) }}
          className={styles.name}
        >
          <NameText>{name}</NameText>
        </TextLink>
        <span className={styles.narrowNote}>{describeSeat(site)}</span>
      </Table.Td>
      <Table.Td className={styles.seat}>{describeSeat(site)}</Table.Td>
      <Table.Td className={`${styles.versions} tabular truncate`}>
        {messages.versions(site.cms_version, parseRuntime(site.php_version), site.plugin_version)}
      </Table.Td>
      <Table.Td className={styles.check}>
        <RelativeTime at={site.last_check_at} />
      </Table.Td>
      <Table.Td className={styles.act}>
        {site.status === 'active' && (
          <DangerButton
            size="compact-xs"
            onClick={onDisconnect}
            aria-label={messages.disconnectOne(name)}
          >
            {messages.disconnect}
          </DangerButton>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function describeSeat({ status, counted }: LicenseSite): string {
  if (status !== 'active') return messages.disconnected;
  return counted ? messages.usesSeat : messages.uncounted;
}

type DisconnectProps = { licenseId: number; site: LicenseSite; onClose: () => void };

function DisconnectDialog({ licenseId, site, onClose }: DisconnectProps) {
  const { title, removes, freesSeat, endOfSentence, effect, done } =
    licenseDialogsMessages.disconnect;
  const change = useLicenseChange();
  const name = site.site_name;
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={title}
      isDangerous
      onClose={onClose}
      onConfirm={() => change(releaseSite(licenseId, site.site_id), done(name))}
    >
      <Text>
        {removes} <b>{name}</b>
        {site.counted ? ` ${freesSeat}` : endOfSentence} {effect}
      </Text>
    </ConfirmDialog>
  );
}
