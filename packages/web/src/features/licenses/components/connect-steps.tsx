import { Button, Tabs, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopyField } from '../../../components/copy-field.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Light } from '../../../components/light.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { api } from '../../../lib/api.ts';
import { siteName } from '../../../lib/site-name.ts';
import { useNewSites } from '../use-new-sites.ts';
import styles from './connect-steps.module.css';

const SHOWN_AT_MOST = 3;
const PLUGIN = '/panel/plugin.zip';

type Props = {
  licenseId: number;
  /** In full, when it is at hand. */
  licenseKey?: string;
};

/** How a site comes under a license. Notices by itself when one has. */
export function ConnectSteps({ licenseId, licenseKey }: Props) {
  return (
    <div>
      <ConnectWays wordpress={<WordPressSteps />} licenseKey={licenseKey} />
      <NewSites licenseId={licenseId} />
    </div>
  );
}

type WaysProps = { wordpress: ReactNode; licenseKey?: string | undefined };

/** WordPress, or any other site through the agent. Shared with the overview. */
export function ConnectWays({ wordpress, licenseKey }: WaysProps) {
  return (
    <Tabs defaultValue="wordpress" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="wordpress">WordPress</Tabs.Tab>
        <Tabs.Tab value="agent">Not WordPress</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="wordpress" pt="sm">
        {wordpress}
      </Tabs.Panel>
      <Tabs.Panel value="agent" pt="sm">
        <AgentCommand licenseKey={licenseKey} />
      </Tabs.Panel>
    </Tabs>
  );
}

function WordPressSteps() {
  return (
    <ol className={styles.steps}>
      <li className={styles.step}>
        <Text>Download the plugin. It already points at this panel.</Text>
        <DownloadPlugin />
      </li>
      <li className={styles.step}>
        <InWordPress />
      </li>
      <li className={styles.step}>
        <Text>
          Paste the license key and press <b>Connect</b>.
        </Text>
      </li>
    </ol>
  );
}

export function InWordPress() {
  return (
    <Text>
      In WordPress: <b>Plugins → Add New → Upload</b>, activate it, then open{' '}
      <b>Settings → Steward</b>.
    </Text>
  );
}

export function DownloadPlugin({ onDownload }: { onDownload?: () => void }) {
  // Fetched before the browser downloads it: a browser shows no reason when a download is refused.
  const download = useMutation({
    mutationFn: () => api(PLUGIN),
    onSuccess() {
      location.assign(PLUGIN);
      onDownload?.();
    },
  });
  return (
    <>
      <Button
        component="a"
        href={PLUGIN}
        variant="default"
        size="xs"
        mt={6}
        leftSection={<IconDownload size={14} aria-hidden />}
        onClick={(event) => {
          event.preventDefault();
          download.mutate();
        }}
      >
        Download plugin
      </Button>
      {download.error && <ErrorNote error={download.error} />}
    </>
  );
}

function AgentCommand({ licenseKey }: { licenseKey?: string | undefined }) {
  const key = licenseKey ?? 'YOUR-LICENSE-KEY';
  // Without --no-install, npx would hand the key to whatever a registry has under that name.
  const command = `LICENSE_KEY=${key} npx --no-install steward-agent --root ./site --feed ./feed --site-url http://127.0.0.1:8090 --panel ${location.origin}`;
  return (
    <>
      <Text>
        In a copy of this project, next to the site: <span className="mono">--root</span> is the
        folder with its plugins and themes, <span className="mono">--feed</span> the folder or
        address its updates come from, <span className="mono">--site-url</span> where this panel
        reaches it.
      </Text>
      <div className={styles.command}>
        <CopyField label="Command for the agent" value={command} />
      </div>
    </>
  );
}

function NewSites({ licenseId }: { licenseId: number }) {
  const sites = useNewSites(licenseId);
  return (
    <div className={styles.state} role="status">
      {sites.length === 0 ? (
        <Light look="running">Waiting for the site to connect</Light>
      ) : (
        sites.slice(0, SHOWN_AT_MOST).map(({ site_id, site_url }) => (
          <Light key={site_id} look="good">
            <TextLink to="/sites/$siteId" params={{ siteId: String(site_id) }}>
              {siteName(site_url)}
            </TextLink>{' '}
            is connected
          </Light>
        ))
      )}
    </div>
  );
}
