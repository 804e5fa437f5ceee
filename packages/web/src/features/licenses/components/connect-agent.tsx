import { Text } from '@mantine/core';
import { CopyField } from '../../../components/copy-field.tsx';
import { connectMessages } from '../../../messages/connect.ts';
import { useEnrolmentCodes } from '../use-enrolment-codes.ts';
import type { WayProps } from '../way-props.ts';
import styles from './connect-steps.module.css';
import { CreateCodeStep } from './create-code-step.tsx';
import { ExpiryNote } from './expiry-note.tsx';

const messages = connectMessages.agent;

export function ConnectAgent({ licenseId, panelUrl }: WayProps) {
  const enrolment = useEnrolmentCodes(licenseId);
  const [code] = enrolment.codes;
  const command = messages.startCommand(code?.code ?? messages.codePlaceholder, panelUrl);
  return (
    <ol className={styles.steps}>
      <li className={styles.step}>
        <Text>{messages.install}</Text>
        <div className={styles.command}>
          <CopyField label={messages.installLabel} value={messages.installCommand} />
        </div>
      </li>
      <CreateCodeStep {...enrolment} text={messages.create} buttonLabel={messages.createButton}>
        <ExpiryNote codes={enrolment.codes} />
      </CreateCodeStep>
      <li className={styles.step}>
        <Text>{messages.start}</Text>
        <dl className={styles.options}>
          {messages.options.map(({ name, meaning }) => (
            <div key={name}>
              <dt className="mono">{name}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <div className={styles.command}>
          <CopyField isMultiline label={messages.startLabel} value={command} />
        </div>
      </li>
      <li className={styles.step}>
        <Text>{messages.keepRunning}</Text>
      </li>
    </ol>
  );
}
