import { Text } from '@mantine/core';
import type { ExplainedHold, RunPreview, SkipReason } from '@steward/contract';
import { HoldNote } from '../../../components/hold-note.tsx';
import { packagesMessages } from '../../../messages/packages.ts';
import { updateMessages } from '../../../messages/update.ts';
import { Disclosure } from './disclosure.tsx';

/** `count` includes all skipped sites, `sites` only the first ones. */
export type Skipped = {
  count: number;
  sites: { id: number; name: string; reason: string; hold?: ExplainedHold | undefined }[];
};

type Props = {
  skipped: Skipped;
  /** A short list is always open at first. */
  isInitiallyOpen: boolean;
};

/** The sites that a run skips, with the reason. */
export function SkippedSites({ skipped, isInitiallyOpen }: Props) {
  const hidden = skipped.count - skipped.sites.length;
  return (
    <Disclosure
      label={updateMessages.skipped(skipped.count)}
      isInitiallyOpen={isInitiallyOpen || skipped.count <= 3}
    >
      {skipped.sites.map(({ id, name, reason, hold }) => (
        <li key={id}>
          {name}{' '}
          {hold ? (
            <HoldNote hold={hold} />
          ) : (
            <Text span c="dimmed" size="sm">
              {reason}
            </Text>
          )}
        </li>
      ))}
      {hidden > 0 && <li>{updateMessages.moreSkipped(hidden)}</li>}
    </Disclosure>
  );
}

type Reasons = Partial<Record<SkipReason, string>>;

/** `reasons` replaces reasons that read differently in this dialog. */
export const toSkipped = ({ skipped }: RunPreview, reasons: Reasons = {}): Skipped => ({
  count: skipped.count,
  sites: skipped.sites.map(({ reason, ...site }) => ({
    ...site,
    reason: reasons[reason] ?? packagesMessages.skipReasons[reason],
  })),
});
