import { Skeleton } from '@mantine/core';
import { useEffect, useState } from 'react';

const NOT_BEFORE_MS = 200;

/** Rows of the right height while a list loads. What comes at once shows no skeleton at all. */
export function SkeletonRows({ rows = 8, height = 40 }: { rows?: number; height?: number }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), NOT_BEFORE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" aria-label="Loading" style={{ minHeight: rows * height }}>
      {isLate &&
        Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows without a content have no other name.
          <div key={row} style={{ height, display: 'flex', alignItems: 'center' }}>
            <Skeleton height={12} width={`${90 - (row % 4) * 12}%`} radius="sm" />
          </div>
        ))}
    </div>
  );
}
