import { Link } from '@tanstack/react-router';
import { StatusLabel } from '../../../components/status-label.tsx';
import { formatNumber } from '../../../lib/format.ts';
import { OUTCOME_STYLES, OUTCOMES, type OutcomeCounts } from '../../../lib/run-outcomes.ts';
import { outcomeMessages } from '../../../messages/outcomes.ts';
import { runsMessages } from '../../../messages/runs.ts';
import styles from './outcome-filter.module.css';

type Props = { counts: OutcomeCounts; total: number; selected: string | undefined };

/** The number of tasks per outcome. A click on an outcome filters the tasks; the URL holds the filter. */
export function OutcomeFilter({ counts, total, selected }: Props) {
  const shown = OUTCOMES.filter((outcome) => counts[outcome] || outcome === selected);
  return (
    <nav className={styles.filter} aria-label={runsMessages.filter.label}>
      <Link
        from="/runs/$runId"
        to="."
        search={{}}
        replace
        resetScroll={false}
        className={styles.choice}
        aria-current={selected === undefined ? 'true' : undefined}
      >
        {runsMessages.filter.all} <b className="tabular">{formatNumber(total)}</b>
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
          title={outcomeMessages.explanations[outcome]}
          aria-current={outcome === selected ? 'true' : undefined}
        >
          <StatusLabel kind={OUTCOME_STYLES[outcome].kind}>
            {outcomeMessages.states[outcome]}
          </StatusLabel>
          <b className="tabular">{formatNumber(counts[outcome] ?? 0)}</b>
        </Link>
      ))}
    </nav>
  );
}
