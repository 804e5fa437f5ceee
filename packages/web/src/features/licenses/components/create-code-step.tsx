import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { connectMessages } from '../../../messages/connect.ts';
import type { EnrolmentCodes } from '../use-enrolment-codes.ts';
import styles from './connect-steps.module.css';

type Props = EnrolmentCodes & { text: string; buttonLabel: string; children?: ReactNode };

/** The step that creates a code for one site. */
export function CreateCodeStep({ text, buttonLabel, children, ...props }: Props) {
  const { codes, create, isCreating, error } = props;
  const hasCode = codes.length > 0;
  return (
    <li className={styles.step}>
      <Text>{text}</Text>
      <Button
        variant={hasCode ? 'default' : 'filled'}
        my={8}
        loading={isCreating}
        onClick={() => create()}
      >
        {hasCode ? connectMessages.codes.createAnother : buttonLabel}
      </Button>
      {error && <ErrorNote error={error} />}
      {children}
    </li>
  );
}
