import { Text } from '@mantine/core';
import { TextLink } from '../../../components/text-link.tsx';
import { runsMessages } from '../../../messages/runs.ts';

const messages = runsMessages.actions;

type Props = {
  /** The id of the new run. Null if an owner started it and the user may not see it. */
  retryRunId: number | null;
  /** The text for a run that the user may not see. */
  byOwner?: string;
};

/** Shown instead of the retry button, because a site of a run can be retried only once. */
export function RetriedNote({ retryRunId, byOwner = messages.retriedByOwner }: Props) {
  if (retryRunId === null) return <Text c="dimmed">{byOwner}</Text>;
  return (
    <TextLink to="/runs/$runId" params={{ runId: String(retryRunId) }}>
      {messages.retriedIn(retryRunId)}
    </TextLink>
  );
}
