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
import { connectMessages } from '../../../messages/connect.ts';
import { useNewSites } from '../use-new-sites.ts';
import styles from './connect-steps.module.css';

const MAX_SHOWN = 3;
const PLUGIN_URL = '/panel/plugin.zip';
const { wordpress: messages, agent } = connectMessages;

type Props = {
  licenseId: number;
  /** The full key. It is known only right after the creation of the license. */
  licenseKey?: string;
};

/** Instructions to connect a site, and the sites that connect while they are open. */
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
        <Tabs.Tab value="wordpress">{messages.tab}</Tabs.Tab>
        <Tabs.Tab value="agent">{agent.tab}</Tabs.Tab>
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
        <Text>{messages.download}</Text>
        <DownloadPluginButton />
      </li>
      <li className={styles.step}>
        <WordPressInstructions />
      </li>
      <li className={styles.step}>
        <Text>
          {messages.pasteKey} <b>{messages.connectButton}</b>
          {messages.endOfSentence}
        </Text>
      </li>
    </ol>
  );
}

export function WordPressInstructions() {
  return (
    <Text>
      {messages.openPlugins} <b>{messages.pluginsMenu}</b>
      {messages.openSettings} <b>{messages.settingsMenu}</b>
      {messages.endOfSentence}
    </Text>
  );
}

export function DownloadPluginButton({ onDownload }: { onDownload?: () => void }) {
  // Fetch the file before the download: a browser shows no reason when a download fails.
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
        {messages.downloadButton}
      </Button>
      {download.error && <ErrorNote error={download.error} />}
    </>
  );
}

function AgentSteps({ licenseKey }: { licenseKey?: string | undefined }) {
  const command = agent.startCommand(licenseKey ?? agent.keyPlaceholder, location.origin);
  return (
    <ol className={styles.steps}>
      <li className={styles.step}>
        <Text>{agent.install}</Text>
        <div className={styles.command}>
          <CopyField label={agent.installLabel} value={agent.installCommand} />
        </div>
      </li>
      <li className={styles.step}>
        <Text>{agent.start}</Text>
        <dl className={styles.options}>
          {agent.options.map(({ name, meaning }) => (
            <div key={name}>
              <dt className="mono">{name}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <div className={styles.command}>
          <CopyField label={agent.startLabel} value={command} />
        </div>
      </li>
      <li className={styles.step}>
        <Text>{agent.keepRunning}</Text>
      </li>
    </ol>
  );
}

function NewSites({ licenseId }: { licenseId: number }) {
  const sites = useNewSites(licenseId);
  return (
    <div className={styles.state} role="status">
      {sites.length === 0 ? (
        <Light look="running">{connectMessages.waiting}</Light>
      ) : (
        sites.slice(0, MAX_SHOWN).map(({ site_id, site_url }) => (
          <Light key={site_id} look="good">
            <TextLink to="/sites/$siteId" params={{ siteId: String(site_id) }}>
              {siteName(site_url)}
            </TextLink>{' '}
            {connectMessages.isConnected}
          </Light>
        ))
      )}
    </div>
  );
}
