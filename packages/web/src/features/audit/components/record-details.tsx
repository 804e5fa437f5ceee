import type { AuditRecord } from '@steward/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Names } from '../../../lib/audit-words.ts';
import styles from './audit-list.module.css';

type Props = { record: AuditRecord; names: Names; reason: string | null };

/** A record as it is stored. What sites have sent is shown as text. */
export function RecordDetails({ record, names, reason }: Props) {
  const { site_id: siteId } = record;
  return (
    <dl className={styles.details}>
      {reason !== null && <Field name="Reason">{reason}</Field>}
      {siteId !== null && (
        <Field name="Site">
          <Link className={styles.link} to="/sites/$siteId" params={{ siteId: String(siteId) }}>
            {names.site(siteId) ?? `Site ${siteId}`}
          </Link>
        </Field>
      )}
      <Field name="Recorded as" isCode>
        {record.entity_type}.{record.action} {record.entity_id}
      </Field>
      <Field name="By" isCode>
        {record.actor}
      </Field>
      <Field name="Address" isCode>
        {record.ip ?? 'none'}
      </Field>
      <Field name="Request" isCode>
        {record.request_id ?? 'none'}
      </Field>
      <Field name="Record" isCode>
        {record.id}
      </Field>
      <Field name="Context">
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
