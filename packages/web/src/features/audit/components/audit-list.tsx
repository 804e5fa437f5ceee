import { UnstyledButton } from '@mantine/core';
import type { AuditNamedType, AuditRecord } from '@steward/contract';
import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { AuditOutcomeLabel } from '../../../components/audit-outcome-label.tsx';
import { Timestamp } from '../../../components/time.tsx';
import { describeRecord, type Names } from '../../../lib/describe-audit-record.ts';
import { auditMessages } from '../../../messages/audit.ts';
import { findRecordLink } from '../record-link.ts';
import styles from './audit-list.module.css';
import { RecordDetails } from './record-details.tsx';

export type EntityNames = Names & { exists(type: AuditNamedType, id: unknown): boolean };
type Props = { records: AuditRecord[]; names: EntityNames };

export function AuditList({ records, names }: Props) {
  return (
    <ul className={styles.list} aria-label={auditMessages.records}>
      {records.map((record) => (
        <RecordItem key={record.id} record={record} names={names} />
      ))}
    </ul>
  );
}

/**
 * One line with time, sentence and outcome. It opens the page of the entity; the button at its end shows the stored record. Without
 * such a page, the whole line shows the stored record.
 */
function RecordItem({ record, names }: { record: AuditRecord; names: EntityNames }) {
  const [isOpen, setOpen] = useState(false);
  const link = findRecordLink(record, names.exists);
  const { actor, action, outcome, reason } = describeRecord(record, names);
  const toggle = { 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) };
  const line = (
    <>
      <span className={styles.time}>
        <Timestamp at={record.at} />
      </span>
      <span className={styles.sentence}>
        <span className={styles.actor}>{actor}</span> {action}
      </span>
      <span className={styles.outcome}>{outcome && <AuditOutcomeLabel outcome={outcome} />}</span>
    </>
  );
  return (
    <li className={styles.item} data-open={isOpen || undefined}>
      {link ? (
        <div className={styles.row}>
          <Link className={styles.line} {...link}>
            {line}
          </Link>
          <UnstyledButton
            className={styles.toggle}
            aria-label={auditMessages.showDetails(`${actor} ${action} ${outcome?.word ?? ''}`)}
            {...toggle}
          >
            <Chevron />
          </UnstyledButton>
        </div>
      ) : (
        <UnstyledButton className={styles.row} {...toggle}>
          <span className={styles.line}>{line}</span>
          <span className={styles.toggle}>
            <Chevron />
          </span>
        </UnstyledButton>
      )}
      {isOpen && <RecordDetails record={record} names={names} reason={reason} />}
    </li>
  );
}

const Chevron = () => <IconChevronRight size={15} aria-hidden className={styles.chevron} />;
