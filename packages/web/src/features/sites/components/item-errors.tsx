import { Button, Text, Title } from '@mantine/core';
import type { ItemError, SiteDetails } from '@steward/contract';
import { useId, useState } from 'react';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ErrorTrust } from '../../../components/error-trust.tsx';
import { SoftwareLink } from '../../../components/software-link.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { describeForVendor } from '../../../lib/item-error-details.ts';
import { itemErrorMessages } from '../../../messages/item-errors.ts';
import styles from './item-errors.module.css';

const messages = itemErrorMessages.section;
const INITIALLY_SHOWN = 10;

/** The fatal errors of plugins, themes and core on real requests of the site. Those to act on come first. */
export function ItemErrors({ site }: { site: SiteDetails }) {
  const [showsAll, setShowsAll] = useState(false);
  const titleId = useId();
  const errors = site.item_errors.toSorted((a, b) => rankOf(a) - rankOf(b));
  const shown = showsAll ? errors : errors.slice(0, INITIALLY_SHOWN);
  return (
    <section className={styles.section} aria-labelledby={titleId}>
      <Title order={2} id={titleId}>
        {messages.title}
      </Title>
      <Text c="dimmed" size="sm" mb="xs">
        {errors.length === 0 ? messages.none : messages.note}
      </Text>
      {errors.length > 0 && (
        <ul className={styles.list} aria-label={messages.list}>
          {shown.map((error) => (
            <ErrorLine key={keyOf(error)} site={site} error={error} />
          ))}
        </ul>
      )}
      {shown.length < errors.length && (
        <Button variant="default" mt="xs" onClick={() => setShowsAll(true)}>
          {messages.showAll(errors.length)}
        </Button>
      )}
    </section>
  );
}

const rankOf = ({ is_new, is_confirmed }: ItemError) =>
  is_new && is_confirmed ? 0 : is_new ? 1 : 2;

const keyOf = ({ type, slug, version, place, request_kind, message }: ItemError) =>
  [type, slug, version, place, request_kind, message].join(' ');

function ErrorLine({ site, error }: { site: SiteDetails; error: ItemError }) {
  const { type, slug, name, version, message, place, request_kind } = error;
  const item = itemErrorMessages.item(name, version);
  const details = describeForVendor({
    ...error,
    item,
    wordpress: site.cms_version,
    php: site.php_version,
  });
  return (
    <li className={styles.line}>
      <div className={styles.words}>
        <div className={styles.head}>
          <SoftwareLink type={type} slug={slug}>
            <b>{name}</b> <span className="mono tabular">{version}</span>
          </SoftwareLink>
          <ErrorTrust isConfirmed={error.is_confirmed} />
          {error.is_new && <span className={styles.mark}>{itemErrorMessages.isNew}</span>}
        </div>
        <div>{message}</div>
        <div className={styles.facts}>
          <span className="mono">{place}</span>
          <span>{itemErrorMessages.requestKinds[request_kind]}</span>
          <span className="tabular">{itemErrorMessages.times(error.count)}</span>
          <span>
            {messages.last}
            <RelativeTime at={error.last_at} />
          </span>
        </div>
      </div>
      <CopyButton
        value={details}
        label={itemErrorMessages.copy}
        aria-label={itemErrorMessages.copyOf(item, place)}
        size="xs"
      />
    </li>
  );
}
