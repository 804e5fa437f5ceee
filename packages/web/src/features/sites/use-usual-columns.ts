import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { clientsQuery } from '../../lib/clients-api.ts';
import { pickUsualColumns } from './chosen-columns.ts';
import { COLUMNS } from './columns.tsx';

/** The columns for the current window. The menu of columns ticks exactly these. */
export function useUsualColumns() {
  const hasClients = useQuery(clientsQuery).data?.some(({ sites }) => sites > 0) ?? false;
  const windowPixels = useWindowStep();
  return useMemo(
    () => pickUsualColumns(COLUMNS, windowPixels, hasClients),
    [windowPixels, hasClients],
  );
}

/** The largest of these widths that the window has. Unlike the exact width, it rarely changes. */
function useWindowStep(): number {
  const isBelow1600 = useIsNarrowerThan(1600);
  const isBelow1400 = useIsNarrowerThan(1400);
  const isBelow1200 = useIsNarrowerThan(1200);
  const isBelow1024 = useIsNarrowerThan(1024);
  if (!isBelow1600) return 1600;
  if (!isBelow1400) return 1400;
  if (!isBelow1200) return 1200;
  return isBelow1024 ? 0 : 1024;
}

const useIsNarrowerThan = (pixels: number) =>
  useMediaQuery(`(max-width: ${pixels - 1}px)`, false, { getInitialValueInEffect: false });
