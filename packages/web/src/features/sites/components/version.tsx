import { VisuallyHidden } from '@mantine/core';

/** "1.0 → 2.0", or just the version there is. */
export function Version({ from, to }: { from: string; to?: string | undefined }) {
  if (to === undefined) return <span className="mono tabular">{from}</span>;
  return (
    <span className="mono tabular">
      {from} <span aria-hidden>→</span>
      <VisuallyHidden>, can be updated to </VisuallyHidden> <b>{to}</b>
    </span>
  );
}
