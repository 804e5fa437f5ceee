import { Text } from '@mantine/core';
import { TextLink } from '../../../components/text-link.tsx';
import type { Run } from '../../../lib/runs-api.ts';

/** In place of a button: a run is tried again once, and goes on from there. */
export function RetriedNote({ run: { retried_by } }: { run: Run }) {
  if (retried_by === null) return <Text c="dimmed">An owner has tried it again.</Text>;
  return (
    <TextLink to="/runs/$runId" params={{ runId: String(retried_by) }}>
      Tried again in run {retried_by}
    </TextLink>
  );
}
