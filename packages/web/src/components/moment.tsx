import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatAgo, formatMoment } from '../lib/format.ts';

const MINUTE_MS = 60_000;

/** "4 min ago", with the full time in the reader's zone on hover. */
export function Ago({ at, never = 'never' }: { at: string | null; never?: string }) {
  const [, refresh] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => refresh((count) => count + 1), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  if (at === null) return <span>{never}</span>;
  return (
    <Tooltip label={formatMoment(at)}>
      <time dateTime={at} className="tabular">
        {formatAgo(at)}
      </time>
    </Tooltip>
  );
}

/** The full time, for lists in which the order of moments matters. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} className="tabular">
      {formatMoment(at)}
    </time>
  );
}
