import { EXPIRING_LICENSES_MAX, type ExpiringLicense } from '@steward/contract';
import { Fragment } from 'react';
import { TextLink } from '../../../components/text-link.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { commonMessages } from '../../../messages/common.ts';
import { overviewMessages } from '../../../messages/overview.ts';
import styles from './attention-row.module.css';

const messages = overviewMessages.attention.licenses;
const MAX_SHOWN = 3;

/** "2 licenses expire within 30 days: Agency …37XBEC in 3 d, Team …C38HP5 in 9 d". */
export function ExpiringLicenses({ licenses }: { licenses: ExpiringLicense[] }) {
  // At the limit, more licenses may expire than the panel has sent.
  const isComplete = licenses.length < EXPIRING_LICENSES_MAX;
  const describeExpiry = isComplete ? messages.expire : messages.expireAtLeast;
  const describeRest = isComplete ? messages.more : messages.moreAtLeast;
  return (
    <>
      {describeExpiry(licenses.length)}
      {licenses.slice(0, MAX_SHOWN).map(({ id, key_last_six, name, plan, expires_at }, index) => (
        <Fragment key={id}>
          {index > 0 && messages.separator}
          <TextLink
            to="/licenses/$licenseId"
            params={{ licenseId: String(id) }}
            underline="always"
            className={styles.key}
          >
            {commonMessages.licenseName(name ?? plan, key_last_six)}
          </TextLink>{' '}
          <RelativeTime at={expires_at} />
        </Fragment>
      ))}
      {licenses.length > MAX_SHOWN && (
        <>
          {messages.separator}
          <TextLink to="/licenses" underline="always">
            {describeRest(licenses.length - MAX_SHOWN)}
          </TextLink>
        </>
      )}
    </>
  );
}
