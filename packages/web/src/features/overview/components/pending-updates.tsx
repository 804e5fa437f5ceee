import type { Overview } from '@steward/contract';
import { IconArrowRight } from '@tabler/icons-react';
import lines from '../../../components/lines.module.css';
import { StatusLabel } from '../../../components/status-label.tsx';
import { LinkButton } from '../../../components/text-link.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { overviewMessages } from '../../../messages/overview.ts';
import styles from './overview.module.css';

const messages = overviewMessages.pending;
const KINDS = ['plugins', 'themes', 'core'] as const;

/** The pending updates, and a link to the sites that can be updated. */
export function PendingUpdates({ overview }: { overview: Overview }) {
  const mayAct = useHasPermission('sites.act');
  const { pending, sites } = overview;
  if (sites.with_updates === 0) {
    return (
      <p className={styles.quiet}>
        <StatusLabel kind="good">{messages.none}</StatusLabel>
      </p>
    );
  }
  return (
    <>
      <ul className={lines.list}>
        {KINDS.map((kind) => (
          <li key={kind} className={styles.line}>
            <span className={styles.grow}>{messages[kind]}</span>
            <span className={`${styles.number} tabular`}>{formatNumber(pending[kind])}</span>
          </li>
        ))}
      </ul>
      <LinkButton
        to="/sites"
        search={{ pending: 'updatable' }}
        variant={mayAct ? 'filled' : 'default'}
        mt="sm"
        rightSection={<IconArrowRight size={15} aria-hidden />}
      >
        {messages.show(sites.with_updates)}
      </LinkButton>
    </>
  );
}
