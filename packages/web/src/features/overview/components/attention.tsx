import type { Overview } from '@steward/contract';
import { describeSiteStatus } from '../../../components/describe-site-status.ts';
import lines from '../../../components/lines.module.css';
import { SoftwareLink } from '../../../components/software-link.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { LinkButton, TextLink } from '../../../components/text-link.tsx';
import { useHasPermission } from '../../../lib/session.ts';
import { MANY_SITES } from '../../../lib/update-summary-api.ts';
import { overviewMessages } from '../../../messages/overview.ts';
import { AttentionRow } from './attention-row.tsx';
import { ExpiringCertificates } from './expiring-certificates.tsx';
import { ExpiringLicenses } from './expiring-licenses.tsx';
import styles from './overview.module.css';
import { SelfUpdateSitesButton } from './self-update-sites-button.tsx';
import { SyncSitesButton } from './sync-sites-button.tsx';
import { HoldsOfUpdates, UpdateSitesButton } from './update-sites-button.tsx';

const messages = overviewMessages.attention;
/** The most urgent first: sites that may be down for visitors. */
const PROBLEMS = ['not_reachable', 'alarm', 'failing', 'stale'] as const;
/** A sync shows whether sites with this status can be reached again. */
const SYNCABLE: readonly string[] = ['not_reachable', 'stale'];

/** Lists what needs attention, the most urgent first. Omits rows without sites or licenses. */
export function Attention({ overview }: { overview: Overview }) {
  const mayAct = useHasPermission('sites.act');
  const isOwner = useHasPermission('owner');
  const { sites, pending, without_item_updates, older_steward_plugin, outdated_plugins } = overview;
  const { expiring_certificates } = overview;
  const basis = sites.with_updates > MANY_SITES ? null : [sites.with_updates, pending];
  const licenses = overview.expiring_licenses ?? [];
  const rows = [
    ...overview.halted_rollouts.map(({ rollout_id, name, reason }) => (
      <AttentionRow key={`rollout ${rollout_id}`} kind="bad" note={reason ?? ''}>
        <TextLink to="/rollouts/$rolloutId" params={{ rolloutId: String(rollout_id) }}>
          {messages.haltedRollout(name)}
        </TextLink>
      </AttentionRow>
    )),
    ...PROBLEMS.filter((status) => sites.by_status[status] > 0).map((status) => (
      <AttentionRow
        key={status}
        kind={describeSiteStatus(status).kind}
        action={
          mayAct &&
          SYNCABLE.includes(status) && (
            <SyncSitesButton status={status} sites={sites.by_status[status]} />
          )
        }
      >
        <TextLink to="/sites" search={{ status }}>
          {messages.problems[status](sites.by_status[status], sites.by_status.not_reachable)}
        </TextLink>
      </AttentionRow>
    )),
    sites.by_status.license_invalid > 0 && (
      <AttentionRow
        key="invalidLicenses"
        kind="locked"
        note={messages.invalidLicenses.next(isOwner)}
      >
        <TextLink to="/sites" search={{ status: 'license_invalid' }}>
          {messages.invalidLicenses.sites(sites.by_status.license_invalid)}
        </TextLink>
      </AttentionRow>
    ),
    expiring_certificates.count > 0 && (
      <AttentionRow key="certificates" kind="warn">
        <ExpiringCertificates certificates={expiring_certificates} />
      </AttentionRow>
    ),
    licenses.length > 0 && (
      <AttentionRow key="licenses" kind="warn">
        <ExpiringLicenses licenses={licenses} />
      </AttentionRow>
    ),
    older_steward_plugin.sites > 0 && (
      <AttentionRow
        key="olderStewardPlugin"
        kind="pending"
        action={mayAct && <SelfUpdateSitesButton olderSites={older_steward_plugin.sites} />}
      >
        <TextLink to="/sites" search={{ steward_plugin: 'outdated' }}>
          {messages.olderStewardPlugin(
            older_steward_plugin.sites,
            older_steward_plugin.shipped_version ?? '',
          )}
        </TextLink>
      </AttentionRow>
    ),
    // Left out if the row above may include all these sites: that row has an action.
    without_item_updates > older_steward_plugin.sites && (
      <AttentionRow key="cannotSelectItems" kind="warn">
        <TextLink to="/sites" search={{ sort: 'plugin_version', order: 'asc' }}>
          {messages.cannotSelectItems(without_item_updates)}
        </TextLink>
      </AttentionRow>
    ),
    sites.with_updates > 0 && (
      <AttentionRow
        key="updates"
        kind="pending"
        note={messages.pendingCounts(pending)}
        more={mayAct && <HoldsOfUpdates basis={basis} />}
        action={mayAct && <UpdateSitesButton basis={basis} />}
      >
        <TextLink to="/sites" search={{ pending: 'updatable' }}>
          {messages.pending(sites.with_updates)}
        </TextLink>
      </AttentionRow>
    ),
    ...outdated_plugins.map(({ plugin, name, sites: outdatedSites }) => (
      <AttentionRow
        key={plugin}
        kind="pending"
        note={messages.outdatedOn(outdatedSites)}
        action={
          mayAct && (
            <LinkButton
              to="/software/item"
              search={{ type: 'plugin', slug: plugin }}
              variant="default"
              size="compact-sm"
              aria-label={messages.viewPluginNamed(name)}
            >
              {messages.viewPlugin}
            </LinkButton>
          )
        }
      >
        <SoftwareLink type="plugin" slug={plugin} title={plugin}>
          {name}
        </SoftwareLink>
      </AttentionRow>
    )),
  ].filter((row) => row !== false);
  if (rows.length > 0) return <ul className={lines.list}>{rows}</ul>;
  return (
    <p className={styles.quiet}>
      <StatusLabel kind="good">{messages.none}</StatusLabel>
    </p>
  );
}
