import { count, formatNumber } from '../lib/format.ts';

const rateFormat = new Intl.NumberFormat('en', {
  maximumSignificantDigits: 2,
  maximumFractionDigits: 0,
  roundingPriority: 'morePrecision',
});
const formatRate = (rate: number) => rateFormat.format(rate);

/** The health of the versions of a plugin, a theme or core, on its page. */
export const versionHealthMessages = {
  title: 'Errors on real requests',
  note: 'Fatal errors of the last 30 days on the sites that report them. A version fails on a site if it has a confirmed error there that no other version had before.',
  noReports:
    'Error reports from these sites are missing. Only WordPress sites with a current Steward plugin send them.',
  failing: 'Failing versions',
  columns: {
    version: 'Version',
    sites: 'Sites',
    reporting: 'Reporting',
    withErrors: 'With errors',
    errors: 'Errors',
    errorFree: 'Error-free',
  },
  percent: (percent: number | null) =>
    percent === null ? 'unknown' : `${formatNumber(percent)} %`,
  chart: {
    title: 'Errors per reporting site and day',
    version: 'Version',
    total: (version: string, errors: number) => `${version}: ${count(errors, 'error')}`,
    most: (rate: number) => `At most ${formatRate(rate)} per site and day`,
    day: (day: string, rates: { version: string; rate: number }[]) =>
      `${day}: ${rates.map(({ version, rate }) => `${version}: ${formatRate(rate)}`).join(', ')}`,
    rate: formatRate,
    dayColumn: 'Day',
  },
} as const;
