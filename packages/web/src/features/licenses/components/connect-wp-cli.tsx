import { Button, Text } from '@mantine/core';
import { CopyField } from '../../../components/copy-field.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { connectMessages } from '../../../messages/connect.ts';
import { useEnrolmentCodes } from '../use-enrolment-codes.ts';
import type { WayProps } from '../way-props.ts';
import styles from './connect-steps.module.css';
import { ExpiryNote } from './expiry-note.tsx';

const messages = connectMessages.wpCli;

export function ConnectWpCli({ licenseId, onPrepared }: WayProps) {
  const { codes, create, isCreating, error } = useEnrolmentCodes(licenseId, onPrepared);
  const [code] = codes;
  return (
    <ol className={styles.steps}>
      <li className={styles.step}>
        <Text>{messages.create}</Text>
        <Button
          variant={code ? 'default' : 'filled'}
          my={8}
          loading={isCreating}
          onClick={() => create()}
        >
          {code ? connectMessages.codes.createAnother : messages.createButton}
        </Button>
        {error && <ErrorNote error={error} />}
      </li>
      <li className={styles.step}>
        <Text>{messages.run}</Text>
        {code && (
          <div className={styles.command}>
            <CopyField label={messages.label} value={messages.command(code.plugin_url)} />
          </div>
        )}
        <ExpiryNote codes={codes} />
        <Text size="sm" c="dimmed">
          {messages.privateAddress}
        </Text>
      </li>
    </ol>
  );
}
