import { formatMilliseconds } from '../lib/format.ts';

/** The response times of a site, on its page. */
export const responseTimesMessages = {
  title: 'Response time',
  day: (day: string, { medianMs, maxMs }: { medianMs: number; maxMs: number }) =>
    `${day}: median ${formatMilliseconds(medianMs)}, maximum ${formatMilliseconds(maxMs)}`,
  none: (day: string) => `${day}: not measured`,
  isCut: (milliseconds: number) => `Bars end at ${formatMilliseconds(milliseconds)}.`,
  tableCaption: 'Response time per day',
  columns: { day: 'Day', median: 'Median', max: 'Maximum' },
} as const;
