import type { ComponentProps } from 'react';
import { formatUtcDay } from '../lib/format.ts';
import { commonMessages } from '../messages/common.ts';
import { DayBars } from './day-bars.tsx';
import styles from './day-chart.module.css';

type Props = ComponentProps<typeof DayBars> & {
  /** For screen readers, instead of the bars. */
  table: {
    caption: string;
    columns: Record<string, string>;
    /** The first cell names the row. */
    rows: string[][];
  };
};

/** A chart of days until today, with its numbers as a table for screen readers. */
export function DayChart({ table, ...bars }: Props) {
  return (
    <div className={styles.chart}>
      <div aria-hidden>
        <DayBars {...bars} />
        <p className={styles.dates}>
          <span>{formatUtcDay(bars.days[0]?.day ?? '')}</span>
          <span>{commonMessages.today}</span>
        </p>
      </div>
      {table.rows.length > 0 && (
        <div className={styles.hidden}>
          <table>
            <caption>{table.caption}</caption>
            <thead>
              <tr>
                {Object.entries(table.columns).map(([key, column]) => (
                  <th key={key} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map(([name, ...cells]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {cells.map((cell, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the cells of a row keep their order.
                    <td key={index}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
