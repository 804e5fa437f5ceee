import { Button, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Light } from '../../../components/light.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { latestLicenseQuery } from '../../../lib/licenses-api.ts';
import { ConnectWays, DownloadPlugin, InWordPress } from '../../licenses/index.ts';
import styles from './first-run.module.css';

/** From nothing to the first site, in three steps. The page sees by itself which are done. */
export function FirstRun({ onCreate }: { onCreate: () => void }) {
  const { data: license } = useQuery(latestLicenseQuery);
  const [isDownloaded, setDownloaded] = useLocalStorage({
    key: 'steward-plugin-downloaded',
    defaultValue: false,
  });
  const hasLicense = Boolean(license);
  return (
    <ol className={styles.steps}>
      <Step number={1} title="Create a license" isDone={hasLicense}>
        {license ? (
          <Text c="dimmed">
            <TextLink to="/licenses/$licenseId" params={{ licenseId: String(license.id) }}>
              License …{license.key_last_six}
            </TextLink>{' '}
            is ready. Its key connects your sites.
          </Text>
        ) : (
          <>
            <Text c="dimmed">It says how many sites may connect, and its key lets them in.</Text>
            <Button mt="xs" onClick={onCreate}>
              Create license
            </Button>
          </>
        )}
      </Step>
      <Step number={2} title="Install the plugin" isDone={isDownloaded}>
        <ConnectWays
          wordpress={
            <>
              <Text c="dimmed">The download already points at this panel.</Text>
              <DownloadPlugin onDownload={() => setDownloaded(true)} />
              <div className={styles.where}>
                <InWordPress />
              </div>
            </>
          }
        />
      </Step>
      <Step number={3} title="Connect" isDone={false}>
        <Text c="dimmed" mb={6}>
          Paste the license key on the site and press <b>Connect</b>. The agent does so by itself.
        </Text>
        {hasLicense && <Light look="running">Waiting for your first site</Light>}
      </Step>
    </ol>
  );
}

type StepProps = { number: number; title: string; isDone: boolean; children: ReactNode };

function Step({ number, title, isDone, children }: StepProps) {
  return (
    <li className={styles.step} data-done={isDone || undefined}>
      <span className={styles.mark}>
        {isDone ? <IconCheck size={14} role="img" aria-label="Done:" /> : number}
      </span>
      <div className={styles.words}>
        <h2 className={styles.title}>{title}</h2>
        {children}
      </div>
    </li>
  );
}
