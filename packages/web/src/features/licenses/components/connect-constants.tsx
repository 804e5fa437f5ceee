import { Button, Group, NumberInput, Text } from '@mantine/core';
import { ENROLMENT_CODES_MAX } from '@steward/contract';
import { useState } from 'react';
import { Banner } from '../../../components/banner.tsx';
import { Blockable } from '../../../components/blockable.tsx';
import { CopyField } from '../../../components/copy-field.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { blockedMessages } from '../../../messages/blocked.ts';
import { connectMessages } from '../../../messages/connect.ts';
import { useEnrolmentCodes } from '../use-enrolment-codes.ts';
import type { WayProps } from '../way-props.ts';
import styles from './connect-steps.module.css';
import { DownloadPluginButton } from './download-plugin-button.tsx';
import { ExpiryNote } from './expiry-note.tsx';

const messages = connectMessages.constants;

export function ConnectConstants({ licenseId, panelUrl }: WayProps) {
  const { codes, create, isCreating, error } = useEnrolmentCodes(licenseId);
  const [count, setCount] = useState<number | string>(1);
  const isValid =
    Number.isInteger(count) && Number(count) >= 1 && Number(count) <= ENROLMENT_CODES_MAX;
  const [first] = codes;
  const lines = messages.lines(
    panelUrl,
    codes.length === 1 && first ? first.code : messages.codePlaceholder,
  );
  return (
    <ol className={styles.steps}>
      <li className={styles.step}>
        <Text>{messages.create}</Text>
        <Group align="flex-end" gap="xs" my={8}>
          <NumberInput
            label={messages.sites}
            w={140}
            size="sm"
            min={1}
            max={ENROLMENT_CODES_MAX}
            clampBehavior="none"
            allowDecimal={false}
            allowNegative={false}
            value={count}
            onChange={setCount}
            error={!isValid}
          />
          <Blockable reason={isValid ? null : blockedMessages.codes}>
            <Button
              variant={first ? 'default' : 'filled'}
              loading={isCreating}
              onClick={() => create(Number(count))}
            >
              {messages.createButton(isValid ? Number(count) : 1)}
            </Button>
          </Blockable>
        </Group>
        {!isValid && <Banner tone="bad">{messages.invalidNumber(ENROLMENT_CODES_MAX)}</Banner>}
        {error && <ErrorNote error={error} />}
        {codes.length > 1 && (
          <div className={styles.command}>
            <CopyField
              isMultiline
              label={messages.codesLabel}
              value={codes.map(({ code }) => code).join('\n')}
            />
          </div>
        )}
        <ExpiryNote codes={codes} />
      </li>
      <li className={styles.step}>
        <Text>{codes.length > 1 ? messages.addSeveral : messages.add}</Text>
        {first && (
          <div className={styles.command}>
            <CopyField isMultiline label={messages.linesLabel} value={lines} />
          </div>
        )}
      </li>
      <li className={styles.step}>
        <Text>{messages.install}</Text>
        <DownloadPluginButton />
      </li>
    </ol>
  );
}
