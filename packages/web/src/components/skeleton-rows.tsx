import { Skeleton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { commonMessages } from '../messages/common.ts';

const DELAY_MS = 200;

/** Placeholder rows while a list loads. They appear after a delay, so that fast responses show no skeleton. */
export function SkeletonRows({ rows = 8, height = 40 }: { rows?: number; height?: number }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label={commonMessages.loading} style={{ minHeight: rows * height }}>
      {isLate &&
        Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholder rows have no other key.
          <div key={row} style={{ height, display: 'flex', alignItems: 'center' }}>
            <Skeleton height={12} width={`${90 - (row % 4) * 12}%`} radius="sm" />
          </div>
        ))}
    </div>
  );
}
