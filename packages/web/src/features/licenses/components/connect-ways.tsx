import { Stack, Tabs, Text } from '@mantine/core';
import type { LicenseSummary } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { Banner } from '../../../components/banner.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { settingsQuery } from '../../../lib/users-api.ts';
import { connectMessages } from '../../../messages/connect.ts';
import { ConnectAgent } from './connect-agent.tsx';
import { ConnectConstants } from './connect-constants.tsx';
import styles from './connect-steps.module.css';
import { ConnectWpCli } from './connect-wp-cli.tsx';
import { ConnectZip } from './connect-zip.tsx';
import { NewSites } from './new-sites.tsx';

const WAYS = [
  { value: 'zip', label: connectMessages.zip.tab, Way: ConnectZip },
  { value: 'wp-cli', label: connectMessages.wpCli.tab, Way: ConnectWpCli },
  { value: 'constants', label: connectMessages.constants.tab, Way: ConnectConstants },
  { value: 'agent', label: connectMessages.agent.tab, Way: ConnectAgent },
] as const;

type Props = { license: LicenseSummary };

/** The ways to connect a site with a license, and the sites that connect meanwhile. */
export function ConnectWays({ license }: Props) {
  const { data, error, refetch } = useQuery(settingsQuery);
  if (!license.valid) return <Text>{connectMessages.notValid}</Text>;
  // The commands name BASE_URL, not the address at which the browser opened the panel.
  if (!data)
    return error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows rows={4} />;
  const { panel } = data;
  const isFull = license.sites_remaining === 0;
  return (
    <Stack gap="sm">
      {isFull && <Text>{connectMessages.noFreeSeats}</Text>}
      {panel.reach !== 'public' && (
        <Banner tone="warn" title={connectMessages.reach.title(panel.url)}>
          {connectMessages.reach[panel.reach]}
        </Banner>
      )}
      {/* All tabs stay mounted to keep their codes: the panel shows a code only once. */}
      <Tabs defaultValue="zip">
        <Tabs.List>
          {WAYS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value} className={styles.tab}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {WAYS.map(({ value, Way }) => (
          <Tabs.Panel key={value} value={value} pt="md">
            <Way licenseId={license.id} panelUrl={panel.url} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <NewSites licenseId={license.id} />
    </Stack>
  );
}
