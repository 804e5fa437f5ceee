import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatRelativeTime, formatTimestamp } from '../lib/format.ts';
import { commonMessages } from '../messages/common.ts';

const MINUTE_MS = 60_000;

type RelativeTimeProps = {
  at: string | null;
  never?: string;
  /** For an event that will happen: shown from its time on, until its effect is known. */
  due?: string;
};

/** "4 min ago", with the full time in the user's time zone on hover. */
export function RelativeTime({ at, never, due }: RelativeTimeProps) {
  const [, refresh] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => refresh((count) => count + 1), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  if (at === null) return <span>{never ?? commonMessages.never}</span>;
  return (
    <Tooltip label={formatTimestamp(at)}>
      <time dateTime={at} className="tabular">
        {due !== undefined && new Date(at) <= new Date() ? due : formatRelativeTime(at)}
      </time>
    </Tooltip>
  );
}

/** The full time, for lists that are sorted by time. */
export function Timestamp({ at }: { at: string }) {
  return (
    <time dateTime={at} className="tabular">
      {formatTimestamp(at)}
    </time>
  );
}
