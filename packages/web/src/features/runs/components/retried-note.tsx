import { Text } from '@mantine/core';
import { TextLink } from '../../../components/text-link.tsx';
import { runsMessages } from '../../../messages/runs.ts';

const messages = runsMessages.actions;

/** `byOwner`: shown if the user may not see the run of an owner. */
type Props = { retriedBy: number | null; byOwner?: string };

/** Shown instead of the retry button, because a site of a run can be retried only once. */
export function RetriedNote({ retriedBy, byOwner = messages.retriedByOwner }: Props) {
  if (retriedBy === null) return <Text c="dimmed">{byOwner}</Text>;
  return (
    <TextLink to="/runs/$runId" params={{ runId: String(retriedBy) }}>
      {messages.retriedIn(retriedBy)}
    </TextLink>
  );
}
