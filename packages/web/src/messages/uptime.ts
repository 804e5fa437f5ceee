import { count, formatNumber } from '../lib/format.ts';

/** The uptime and the certificate of each site in the list. */
export const uptimeMessages = {
  uptime: 'Uptime',
  certificate: 'Certificate',
  certificateOptions: {
    expiring: 'Certificate expired or expires soon',
    expired: 'Certificate expired',
  },
  days: ({ down, checked }: { down: number; checked: number }) => {
    if (checked === 0) return 'Not checked in the last 30 days';
    return down === 0
      ? `No outage on ${count(checked, 'day')} with checks`
      : `Down on ${formatNumber(down)} of ${count(checked, 'day')} with checks`;
  },
} as const;
