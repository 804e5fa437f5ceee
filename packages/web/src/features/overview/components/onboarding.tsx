import { Button, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LicenseName } from '../../../components/license-name.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { latestLicenseQuery } from '../../../lib/licenses-api.ts';
import { overviewMessages } from '../../../messages/overview.ts';
import styles from './onboarding.module.css';

const messages = overviewMessages.onboarding;

type Props = {
  /** Whether the user got a zip or an enrolment code. */
  hasZipOrCode: boolean;
  onCreate: () => void;
  onConnect: () => void;
};

/** The three steps to connect the first site. Marks the completed steps. */
export function Onboarding({ hasZipOrCode, onCreate, onConnect }: Props) {
  const { data: license } = useQuery(latestLicenseQuery);
  const hasLicense = Boolean(license);
  return (
    <ol className={styles.steps}>
      <Step number={1} title={messages.licenseTitle} isDone={hasLicense}>
        {license ? (
          <Text c="dimmed">
            <TextLink to="/licenses/$licenseId" params={{ licenseId: String(license.id) }}>
              <LicenseName license={license} />
            </TextLink>
            {messages.licenseReady}
          </Text>
        ) : (
          <>
            <Text c="dimmed">{messages.license}</Text>
            <Button mt="xs" onClick={onCreate}>
              {messages.createLicense}
            </Button>
          </>
        )}
      </Step>
      <Step number={2} title={messages.pluginTitle} isDone={hasZipOrCode}>
        <Text c="dimmed">{messages.plugin}</Text>
        {hasLicense && (
          <Button mt="xs" onClick={onConnect}>
            {messages.connectSite}
          </Button>
        )}
      </Step>
      <Step number={3} title={messages.connectTitle} isDone={false}>
        <Text c="dimmed" mb={6}>
          {messages.connect}
        </Text>
        {hasLicense && <StatusLabel kind="running">{messages.waiting}</StatusLabel>}
      </Step>
    </ol>
  );
}

type StepProps = { number: number; title: string; isDone: boolean; children: ReactNode };

function Step({ number, title, isDone, children }: StepProps) {
  return (
    <li className={styles.step} data-done={isDone || undefined}>
      <span className={styles.mark}>
        {isDone ? <IconCheck size={14} role="img" aria-label={messages.done} /> : number}
      </span>
      <div className={styles.words}>
        <h2 className={styles.title}>{title}</h2>
        {children}
      </div>
    </li>
  );
}
