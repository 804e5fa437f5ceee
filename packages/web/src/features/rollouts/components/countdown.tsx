import { VisuallyHidden } from '@mantine/core';
import { formatRelativeTime, formatTimestamp } from '../../../lib/format.ts';
import { serverTimeAt } from '../../../lib/server-clock.ts';
import { useNow } from '../../../lib/use-now.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { countdownParts } from '../countdown-parts.ts';

const messages = rolloutMessages.flow;

/** The time until a moment, by the clock of the panel. Screen readers get it without seconds: it would never end. */
export function Countdown({ until }: { until: string }) {
  const now = serverTimeAt(useNow(true));
  const parts = countdownParts(Date.parse(until), now);
  if (parts === null) return messages.now;
  return (
    <time dateTime={until} title={formatTimestamp(until)}>
      <span className="tabular" aria-hidden>
        {messages.in(messages.countdown(parts))}
      </span>
      <VisuallyHidden>{formatRelativeTime(until, now)}</VisuallyHidden>
    </time>
  );
}
