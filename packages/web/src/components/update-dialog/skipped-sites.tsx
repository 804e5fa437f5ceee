import { Text } from '@mantine/core';
import { updateMessages } from '../../messages/update.ts';
import { Disclosure } from './disclosure.tsx';

/** `sites` are the first of them. */
export type Skipped = {
  count: number;
  sites: { id: number; name: string; status: keyof typeof updateMessages.skipReasons }[];
};

/** The sites that an update skips, with the reason. */
export function SkippedSites({ skipped }: { skipped: Skipped }) {
  const hidden = skipped.count - skipped.sites.length;
  return (
    <Disclosure label={updateMessages.skipped(skipped.count)} isInitiallyOpen={skipped.count <= 3}>
      {skipped.sites.map(({ id, name, status }) => (
        <li key={id}>
          {name}{' '}
          <Text span c="dimmed" size="sm">
            {updateMessages.skipReasons[status]}
          </Text>
        </li>
      ))}
      {hidden > 0 && <li>{updateMessages.moreSkipped(hidden)}</li>}
    </Disclosure>
  );
}
