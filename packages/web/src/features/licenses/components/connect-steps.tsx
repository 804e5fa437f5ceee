import { Button, Tabs, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopyField } from '../../../components/copy-field.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { api } from '../../../lib/api.ts';
import { siteName } from '../../../lib/site-name.ts';
import { connectMessages } from '../../../messages/connect.ts';
import { useNewSites } from '../use-new-sites.ts';
import styles from './connect-steps.module.css';

const MAX_SHOWN = 3;
const PLUGIN_URL = '/panel/plugin.zip';
const { wordpress: wordpressMessages, agent: agentMessages } = connectMessages;

type Props = {
  licenseId: number;
  /** The full key. It is known only right after the creation of the license. */
  licenseKey?: string;
};

/** Instructions to connect a site, and the sites that connect while the instructions are shown. */
export function ConnectSteps({ licenseId, licenseKey }: Props) {
  return (
    <div>
      <ConnectInstructions wordpress={<WordPressSteps />} licenseKey={licenseKey} />
      <NewSites licenseId={licenseId} />
    </div>
  );
}

type InstructionsProps = { wordpress: ReactNode; licenseKey?: string | undefined };

/** Instructions for WordPress and for other CMS. The overview also uses them. */
export function ConnectInstructions({ wordpress, licenseKey }: InstructionsProps) {
  return (
    <Tabs defaultValue="wordpress" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="wordpress">{wordpressMessages.tab}</Tabs.Tab>
        <Tabs.Tab value="agent">{agentMessages.tab}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="wordpress" pt="sm">
        {wordpress}
      </Tabs.Panel>
      <Tabs.Panel value="agent" pt="sm">
        <AgentSteps licenseKey={licenseKey} />
      </Tabs.Panel>
    </Tabs>
  );
}

function WordPressSteps() {
  return (
    <ol className={styles.steps}>
      <li className={styles.step}>
        <Text>{wordpressMessages.download}</Text>
        <DownloadPluginButton />
      </li>
      <li className={styles.step}>
        <UploadPluginStep />
      </li>
      <li className={styles.step}>
        <Text>
          {wordpressMessages.pasteKey} <b>{wordpressMessages.connectButton}</b>
          {wordpressMessages.endOfSentence}
        </Text>
      </li>
    </ol>
  );
}

export function UploadPluginStep() {
  return (
    <Text>
      {wordpressMessages.openPlugins} <b>{wordpressMessages.pluginsMenu}</b>
      {wordpressMessages.openSettings} <b>{wordpressMessages.settingsMenu}</b>
      {wordpressMessages.endOfSentence}
    </Text>
  );
}

export function DownloadPluginButton({ onDownload }: { onDownload?: () => void }) {
  // Request the file with `fetch` first, so that the page can show an error: a browser shows no reason when a
  // download fails.
  const download = useMutation({
    mutationFn: () => api(PLUGIN_URL),
    onSuccess() {
      location.assign(PLUGIN_URL);
      onDownload?.();
    },
  });
  return (
    <>
      <Button
        component="a"
        href={PLUGIN_URL}
        variant="default"
        size="xs"
        mt={6}
        leftSection={<IconDownload size={14} aria-hidden />}
        onClick={(event) => {
          event.preventDefault();
          download.mutate();
        }}
      >
        {wordpressMessages.downloadButton}
      </Button>
      {download.error && <ErrorNote error={download.error} />}
    </>
  );
}

function AgentSteps({ licenseKey }: { licenseKey?: string | undefined }) {
  const command = agentMessages.startCommand(
    licenseKey ?? agentMessages.keyPlaceholder,
    location.origin,
  );
  return (
    <ol className={styles.steps}>
      <li className={styles.step}>
        <Text>{agentMessages.install}</Text>
        <div className={styles.command}>
          <CopyField label={agentMessages.installLabel} value={agentMessages.installCommand} />
        </div>
      </li>
      <li className={styles.step}>
        <Text>{agentMessages.start}</Text>
        <dl className={styles.options}>
          {agentMessages.options.map(({ name, meaning }) => (
            <div key={name}>
              <dt className="mono">{name}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <div className={styles.command}>
          <CopyField label={agentMessages.startLabel} value={command} />
        </div>
      </li>
      <li className={styles.step}>
        <Text>{agentMessages.keepRunning}</Text>
      </li>
    </ol>
  );
}

function NewSites({ licenseId }: { licenseId: number }) {
  const sites = useNewSites(licenseId);
  return (
    <div className={styles.state} role="status">
      {sites.length === 0 ? (
        <StatusLabel kind="running">{connectMessages.waiting}</StatusLabel>
      ) : (
        sites.slice(0, MAX_SHOWN).map(({ site_id, site_url }) => (
          <StatusLabel key={site_id} kind="good">
            <TextLink to="/sites/$siteId" params={{ siteId: String(site_id) }}>
              {siteName(site_url)}
            </TextLink>{' '}
            {connectMessages.isConnected}
          </StatusLabel>
        ))
      )}
    </div>
  );
}
