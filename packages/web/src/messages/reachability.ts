import { count } from '../lib/format.ts';

type DayCounts = { checks: number; failed: number; seconds_down: number };

/** The reachability of a site: its page and the overview. */
export const reachabilityMessages = {
  title: 'Reachability',
  note: 'Every few minutes, Steward opens the home page of a connected site and checks that its CMS answers. Days are in UTC.',
  up: 'Up',
  down: 'Not reachable',
  unknown: {
    never_checked: 'Not checked yet',
    unconfirmed: 'First check failed. Steward checks again before it reports the site as down.',
    outdated: 'Not checked in the last two hours',
  },
  since: 'since',
  /** Added to the reason if only the application fails. */
  onlyApplication: 'The home page may still load from a cache.',
  neverChecked:
    'The first check follows within minutes after a site connects. If none follows, the panel needs a running worker and a value of PING_MINUTES above 0.',
  certificate: 'Certificate',
  certificateExpires: 'expires',
  certificateExpired: 'expired',
  strip: 'Last 30 days',
  day: (day: string, counts: DayCounts) => {
    const { checks, failed, seconds_down } = counts;
    const failures = checks > 0 && failed === checks ? ', all checks failed' : '';
    if (seconds_down > 0) return `${day}: down for ${duration(seconds_down)}${failures}`;
    if (failures) return `${day}: all checks failed, no confirmed outage`;
    return checks > 0 ? `${day}: no outage` : `${day}: not checked`;
  },
  total: ({ checks, failed, seconds_down }: DayCounts) => {
    if (seconds_down > 0) return `Down for ${duration(seconds_down)} in the last 30 days.`;
    if (checks === 0) return 'Not checked in the last 30 days.';
    return failed === checks
      ? 'No check succeeded in the last 30 days.'
      : 'No outage found in the last 30 days.';
  },
  tableCaption: 'Outages per day',
  columns: { day: 'Day', down: 'Down', checks: 'Checks', failed: 'Failed checks' },
  downFor: (seconds: number) => (seconds === 0 ? 'no outage' : duration(seconds)),
  certificates: {
    expire: (sites: number) =>
      `${count(sites, 'certificate has expired or expires', 'certificates have expired or expire')} within 14 days: `,
    separator: ', ',
    more: (sites: number) => `${sites} more`,
  },
} as const;

/** "3 min", "1 h 5 min": no seconds, because pings every few minutes are not that precise. */
function duration(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 60) return `${minutes} min`;
  return minutes % 60 === 0
    ? `${Math.floor(minutes / 60)} h`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
