import { parseArgs } from 'node:util';

export type SimulateOptions = {
  sites: number;
  days: number;
  /** Ends the play after this time. Null: plays all days. */
  minutes: number | null;
};

const SITES_PER_LICENSE = 10;
const LIMITS = {
  sites: { min: SITES_PER_LICENSE, max: 1_000_000 },
  days: { min: 1, max: 365 },
  minutes: { min: 1, max: 24 * 60 },
};

export const USAGE = `Usage: npm run simulate -- [--sites 100000] [--days 1] [--minutes 5]

  --sites    number of sites, default 100000
  --days     days of check-ins to play, default 1
  --minutes  ends the play after this time; without it, all days are played`;

/** Throws an Error whose message names the wrong option. */
export function parseOptions(args: string[]): SimulateOptions {
  const { values } = parseArgs({
    args,
    options: {
      sites: { type: 'string', default: '100000' },
      days: { type: 'string', default: '1' },
      minutes: { type: 'string' },
    },
  });
  return {
    sites: parseCount('sites', values.sites),
    days: parseCount('days', values.days),
    minutes: values.minutes === undefined ? null : parseCount('minutes', values.minutes),
  };
}

function parseCount(name: keyof typeof LIMITS, text: string): number {
  const { min, max } = LIMITS[name];
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= min && count <= max) return count;
  throw new Error(`--${name} ${text}: it must be a whole number from ${min} to ${max}.`);
}

/** The options of the command in the stored result. */
export function describeOptions({ sites, days, minutes }: SimulateOptions): string {
  return `--sites ${sites} --days ${days}${minutes === null ? '' : ` --minutes ${minutes}`}`;
}
