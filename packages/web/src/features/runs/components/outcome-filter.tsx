import { Link } from '@tanstack/react-router';
import { Light } from '../../../components/light.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { OUTCOMES, type OutcomeCounts, WORDS } from '../../../lib/run-outcomes.ts';
import styles from './outcome-filter.module.css';

type Props = { counts: OutcomeCounts; total: number; selected: string | undefined };

/** How many ended how. Each is a filter; the address keeps it. */
export function OutcomeFilter({ counts, total, selected }: Props) {
  const shown = OUTCOMES.filter((outcome) => counts[outcome] || outcome === selected);
  return (
    <nav className={styles.filter} aria-label="Filter by outcome">
      <Link
        from="/runs/$runId"
        to="."
        search={{}}
        replace
        resetScroll={false}
        className={styles.choice}
        aria-current={selected === undefined ? 'true' : undefined}
      >
        All <b className="tabular">{formatNumber(total)}</b>
      </Link>
      {shown.map((outcome) => (
        <Link
          key={outcome}
          from="/runs/$runId"
          to="."
          search={outcome === selected ? {} : { status: outcome }}
          replace
          resetScroll={false}
          className={styles.choice}
          aria-current={outcome === selected ? 'true' : undefined}
        >
          <Light look={WORDS[outcome].look}>{WORDS[outcome].word}</Light>
          <b className="tabular">{formatNumber(counts[outcome] ?? 0)}</b>
        </Link>
      ))}
    </nav>
  );
}
