import { Text } from '@mantine/core';
import type { RunPreview } from '@steward/contract';
import { packagesMessages } from '../../messages/packages.ts';
import { updateMessages } from '../../messages/update.ts';
import { Disclosure } from './disclosure.tsx';

/** `count` includes all skipped sites, `sites` only the first ones. */
export type Skipped = {
  count: number;
  sites: { id: number; name: string; reason: string }[];
};

/** The sites that a run skips, with the reason. */
export function SkippedSites({ skipped }: { skipped: Skipped }) {
  const hidden = skipped.count - skipped.sites.length;
  return (
    <Disclosure label={updateMessages.skipped(skipped.count)} isInitiallyOpen={skipped.count <= 3}>
      {skipped.sites.map(({ id, name, reason }) => (
        <li key={id}>
          {name}{' '}
          <Text span c="dimmed" size="sm">
            {reason}
          </Text>
        </li>
      ))}
      {hidden > 0 && <li>{updateMessages.moreSkipped(hidden)}</li>}
    </Disclosure>
  );
}

export const toSkipped = ({ skipped }: RunPreview): Skipped => ({
  count: skipped.count,
  sites: skipped.sites.map(({ reason, ...site }) => ({
    ...site,
    reason: packagesMessages.skipReasons[reason],
  })),
});
