import { UnstyledButton } from '@mantine/core';
import type { AuditRecord } from '@steward/contract';
import { IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { AuditOutcomeLabel } from '../../../components/audit-outcome-label.tsx';
import { Timestamp } from '../../../components/time.tsx';
import { describeRecord, type Names } from '../../../lib/describe-audit-record.ts';
import { auditMessages } from '../../../messages/audit.ts';
import styles from './audit-list.module.css';
import { RecordDetails } from './record-details.tsx';

type Props = { records: AuditRecord[]; names: Names };

export function AuditList({ records, names }: Props) {
  return (
    <ul className={styles.list} aria-label={auditMessages.records}>
      {records.map((record) => (
        <RecordItem key={record.id} record={record} names={names} />
      ))}
    </ul>
  );
}

/** One line with time, sentence and outcome. A click shows the stored record. */
function RecordItem({ record, names }: { record: AuditRecord; names: Names }) {
  const [isOpen, setOpen] = useState(false);
  const { actor, action, outcome, reason } = describeRecord(record, names);
  return (
    <li className={styles.item} data-open={isOpen || undefined}>
      <UnstyledButton
        className={styles.line}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span className={styles.time}>
          <Timestamp at={record.at} />
        </span>
        <span className={styles.sentence}>
          <span className={styles.actor}>{actor}</span> {action}
        </span>
        <span className={styles.outcome}>{outcome && <AuditOutcomeLabel outcome={outcome} />}</span>
        <IconChevronRight size={15} aria-hidden className={styles.chevron} />
      </UnstyledButton>
      {isOpen && <RecordDetails record={record} names={names} reason={reason} />}
    </li>
  );
}
