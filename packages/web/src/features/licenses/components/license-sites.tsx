import { Button, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Ago } from '../../../components/moment.tsx';
import table from '../../../components/page-table.module.css';
import { TextLink } from '../../../components/text-link.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { type LicenseDetails, type LicenseSite, releaseSite } from '../../../lib/licenses-api.ts';
import { siteName } from '../../../lib/site-name.ts';
import { useLicenseChange } from '../use-license-change.ts';
import styles from './license-sites.module.css';

/** The sites a license is on, or was on; those that came last. */
export function LicenseSites({ license }: { license: LicenseDetails }) {
  const [leaving, setLeaving] = useState<LicenseSite | null>(null);
  const [shown, total] = [license.activations.length, license.activations_total];
  const isCut = shown < total;
  if (shown === 0) {
    return (
      <EmptyState title="No site uses this license yet">
        {license.valid
          ? 'Connect a site, and it appears here by itself.'
          : 'No site can be connected while the license is not valid.'}
      </EmptyState>
    );
  }
  return (
    <>
      <Table className={`${table.table} ${styles.sites}`} borderColor="var(--steward-line)">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Site</Table.Th>
            <Table.Th className={styles.slot}>Slot</Table.Th>
            <Table.Th className={styles.versions}>Versions</Table.Th>
            <Table.Th className={styles.check}>Last check</Table.Th>
            <Table.Th className={styles.act} aria-label="Actions" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {license.activations.map((site) => (
            <SiteRow key={site.site_id} site={site} onRelease={() => setLeaving(site)} />
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm" mt="sm">
        {isCut && `The ${formatNumber(shown)} newest of ${formatNumber(total)}. `}
        <TextLink inherit to="/sites" search={{ license_id: String(license.id) }}>
          Show them among all sites
        </TextLink>
      </Text>
      {leaving && (
        <ReleaseDialog licenseId={license.id} site={leaving} onClose={() => setLeaving(null)} />
      )}
    </>
  );
}

function SiteRow({ site, onRelease }: { site: LicenseSite; onRelease: () => void }) {
  const name = siteName(site.site_url);
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink
          inherit
          to="/sites/$siteId"
          params={{ siteId: String(site.site_id) }}
          className={`${styles.name} cut`}
        >
          {name}
        </TextLink>
        <span className={styles.narrowNote}>{slotWords(site)}</span>
      </Table.Td>
      <Table.Td className={styles.slot}>{slotWords(site)}</Table.Td>
      <Table.Td className={`${styles.versions} tabular cut`}>
        CMS {site.cms_version}, PHP {site.php_version}, plugin {site.plugin_version}
      </Table.Td>
      <Table.Td className={styles.check}>
        <Ago at={site.last_check_at} />
      </Table.Td>
      <Table.Td className={styles.act}>
        {site.status === 'active' && (
          <Button
            variant="default"
            size="compact-xs"
            onClick={onRelease}
            aria-label={`Release site ${name}`}
          >
            Release site
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function slotWords({ status, counted }: LicenseSite): string {
  if (status !== 'active') return 'has left, takes no slot';
  return counted ? 'takes a slot' : 'local, takes no slot';
}

type ReleaseProps = { licenseId: number; site: LicenseSite; onClose: () => void };

function ReleaseDialog({ licenseId, site, onClose }: ReleaseProps) {
  const change = useLicenseChange();
  const name = siteName(site.site_url);
  return (
    <ConfirmDialog
      title="Release site"
      confirmLabel="Release site"
      onClose={onClose}
      onConfirm={() => change(releaseSite(licenseId, site.site_id), `${name} is released.`)}
    >
      <Text>
        The license is taken off <b>{name}</b>
        {site.counted && ' and its slot is free for another site'}. The site itself is not touched
        and keeps running, but you can no longer update it from here until it is connected again.
      </Text>
    </ConfirmDialog>
  );
}
