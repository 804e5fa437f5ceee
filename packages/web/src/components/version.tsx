import { VisuallyHidden } from '@mantine/core';
import { siteMessages } from '../messages/site.ts';

/** "1.0 → 2.0" if an update is available, otherwise only the installed version. */
export function Version({ from, to }: { from: string; to?: string | undefined }) {
  if (to === undefined) return <span className="mono tabular">{from}</span>;
  return (
    <span className="mono tabular">
      {from} <span aria-hidden>{siteMessages.inventory.arrow}</span>
      <VisuallyHidden>{siteMessages.inventory.updateTo}</VisuallyHidden> <b>{to}</b>
    </span>
  );
}
