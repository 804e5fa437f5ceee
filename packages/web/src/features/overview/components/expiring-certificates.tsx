import type { Overview } from '@steward/contract';
import { Fragment } from 'react';
import { TextLink } from '../../../components/text-link.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { reachabilityMessages } from '../../../messages/reachability.ts';

const messages = reachabilityMessages.certificates;

/** "2 certificates have expired or expire within 14 days: shop.example.com in 3 d, blog.example.com in 9 d". */
export function ExpiringCertificates({
  certificates: { count, sites },
}: {
  certificates: Overview['expiring_certificates'];
}) {
  return (
    <>
      {messages.expire(count)}
      {sites.map(({ site_id, name, expires_at }, index) => (
        <Fragment key={site_id}>
          {index > 0 && messages.separator}
          <TextLink to="/sites/$siteId" params={{ siteId: String(site_id) }} underline="always">
            {name}
          </TextLink>{' '}
          <RelativeTime at={expires_at} />
        </Fragment>
      ))}
      {count > sites.length && (
        <>
          {messages.separator}
          <TextLink to="/sites" search={{ certificate: 'expiring' }} underline="always">
            {messages.more(count - sites.length)}
          </TextLink>
        </>
      )}
    </>
  );
}
