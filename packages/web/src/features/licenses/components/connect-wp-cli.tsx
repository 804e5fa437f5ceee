import { Text } from '@mantine/core';
import { CopyField } from '../../../components/copy-field.tsx';
import { connectMessages } from '../../../messages/connect.ts';
import { useEnrolmentCodes } from '../use-enrolment-codes.ts';
import type { WayProps } from '../way-props.ts';
import styles from './connect-steps.module.css';
import { CreateCodeStep } from './create-code-step.tsx';
import { ExpiryNote } from './expiry-note.tsx';

const messages = connectMessages.wpCli;

export function ConnectWpCli({ licenseId }: WayProps) {
  const enrolment = useEnrolmentCodes(licenseId);
  const [code] = enrolment.codes;
  return (
    <ol className={styles.steps}>
      <CreateCodeStep {...enrolment} text={messages.create} buttonLabel={messages.createButton} />
      <li className={styles.step}>
        <Text>{messages.run}</Text>
        {code && (
          <div className={styles.command}>
            <CopyField label={messages.label} value={messages.command(code.plugin_url)} />
          </div>
        )}
        <ExpiryNote codes={enrolment.codes} />
        <Text size="sm" c="dimmed">
          {messages.privateAddress}
        </Text>
      </li>
    </ol>
  );
}
