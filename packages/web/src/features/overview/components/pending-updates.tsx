import type { Overview } from '@steward/contract';
import { IconArrowRight } from '@tabler/icons-react';
import { Light } from '../../../components/light.tsx';
import lines from '../../../components/lines.module.css';
import { LinkButton } from '../../../components/text-link.tsx';
import { count, formatNumber } from '../../../lib/format.ts';
import { useMay } from '../../../lib/session.ts';
import styles from './overview.module.css';

const KINDS = [
  ['plugins', 'Plugins'],
  ['themes', 'Themes'],
  ['core', 'Core'],
] as const;

/** What could be updated now, and the way to the sites where it is done. */
export function PendingUpdates({ overview }: { overview: Overview }) {
  const mayAct = useMay('sites.act');
  const { pending, sites } = overview;
  if (sites.with_updates === 0) {
    return (
      <p className={styles.quiet}>
        <Light look="good">Nothing is waiting to be updated.</Light>
      </p>
    );
  }
  return (
    <>
      <ul className={lines.list}>
        {KINDS.map(([kind, word]) => (
          <li key={kind} className={styles.line}>
            <span className={styles.grow}>{word}</span>
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
        Show {count(sites.with_updates, 'site')} to update
      </LinkButton>
    </>
  );
}
