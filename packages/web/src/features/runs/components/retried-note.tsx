import { Text } from '@mantine/core';
import { TextLink } from '../../../components/text-link.tsx';
import type { Run } from '../../../lib/runs-api.ts';
import { runsMessages } from '../../../messages/runs.ts';

/** Shown instead of the retry button, because a run can be retried only once. */
export function RetriedNote({ run: { retried_by } }: { run: Run }) {
  if (retried_by === null) return <Text c="dimmed">{runsMessages.actions.retriedByOwner}</Text>;
  return (
    <TextLink to="/runs/$runId" params={{ runId: String(retried_by) }}>
      {runsMessages.actions.retriedIn(retried_by)}
    </TextLink>
  );
}
