import type { AuditRecord } from '@steward/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Names } from '../../../lib/describe-audit-record.ts';
import { auditMessages } from '../../../messages/audit.ts';
import styles from './audit-list.module.css';
import { AuditedItems, hasAuditedItems } from './audited-items.tsx';

type Props = { record: AuditRecord; names: Names; reason: string | null };

const messages = auditMessages.details;

/** The stored record. Data from sites is shown as plain text. */
export function RecordDetails({ record, names, reason }: Props) {
  const { site_id: siteId } = record;
  return (
    <dl className={styles.details}>
      {reason !== null && <Field name={messages.reason}>{reason}</Field>}
      {siteId !== null && (
        <Field name={messages.site}>
          <Link className={styles.link} to="/sites/$siteId" params={{ siteId: String(siteId) }}>
            {names.site(siteId) ?? messages.siteWithoutName(siteId)}
          </Link>
        </Field>
      )}
      {hasAuditedItems(record.context) && (
        <Field name={messages.items}>
          <AuditedItems context={record.context} />
        </Field>
      )}
      <Field name={messages.event} isCode>
        {`${record.entity_type}.${record.action} ${record.entity_id}`}
      </Field>
      <Field name={messages.actor} isCode>
        {record.actor}
      </Field>
      <Field name={messages.address} isCode>
        {record.ip ?? messages.none}
      </Field>
      <Field name={messages.request} isCode>
        {record.request_id ?? messages.none}
      </Field>
      <Field name={messages.record} isCode>
        {record.id}
      </Field>
      <Field name={messages.context}>
        <pre className={`${styles.context} mono`}>{JSON.stringify(record.context, null, 2)}</pre>
      </Field>
    </dl>
  );
}

function Field(props: { name: string; isCode?: boolean; children: ReactNode }) {
  return (
    <>
      <dt>{props.name}</dt>
      <dd className={props.isCode ? 'mono' : undefined}>{props.children}</dd>
    </>
  );
}
