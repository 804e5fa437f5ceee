/**
 * When PHP and WordPress versions stop getting security fixes. A version that is not listed is not known: it is newer than the
 * table, so it has no colour. Screens show the date of the table.
 */
export const SUPPORT_TABLES = {
  php: {
    /** https://www.php.net/supported-versions.php and https://www.php.net/eol.php */
    asOf: '2026-10-21',
    ends: {
      '5.2': '2011-01-06',
      '5.3': '2014-08-14',
      '5.4': '2015-09-03',
      '5.5': '2016-07-21',
      '5.6': '2018-12-31',
      '7.0': '2019-01-10',
      '7.1': '2019-12-01',
      '7.2': '2020-11-30',
      '7.3': '2021-12-06',
      '7.4': '2022-11-28',
      '8.0': '2023-11-26',
      '8.1': '2025-12-31',
      '8.2': '2026-12-31',
      '8.3': '2027-12-31',
      '8.4': '2028-12-31',
      '8.5': '2029-12-31',
    },
  },
  wordpress: {
    /** WordPress supports only its newest version, so the support of each ends when the next one is released. */
    asOf: '2026-05-20',
    ends: {
      '5.0': '2019-02-21',
      '5.1': '2019-05-07',
      '5.2': '2019-11-12',
      '5.3': '2020-03-31',
      '5.4': '2020-08-11',
      '5.5': '2020-12-08',
      '5.6': '2021-03-09',
      '5.7': '2021-07-20',
      '5.8': '2022-01-25',
      '5.9': '2022-05-24',
      '6.0': '2022-11-01',
      '6.1': '2023-03-29',
      '6.2': '2023-08-08',
      '6.3': '2023-11-07',
      '6.4': '2024-04-02',
      '6.5': '2024-07-16',
      '6.6': '2024-11-12',
      '6.7': '2025-04-15',
      '6.8': '2025-12-02',
      '6.9': '2026-05-20',
    },
  },
} as const;
export type SupportedSoftware = keyof typeof SUPPORT_TABLES;

/** `ending`: within half a year. */
export type SupportState = 'supported' | 'ending' | 'ended';
export type VersionSupport = { state: SupportState; endsOn: string; asOf: string };

/** The filter of the list of sites. */
export const SUPPORT_FILTERS = ['php_ended', 'php_ending', 'wordpress_ended'] as const;
export type SupportFilter = (typeof SUPPORT_FILTERS)[number];

const ENDING_DAYS = 183;
const DAY_MS = 86_400_000;
const MAJOR_MINOR = /^(\d{1,2}\.\d{1,2})(?!\d)/;

/** Returns null if the version is not in the table, or is not a version of this software, such as `node-24.1.0`. */
export function findVersionSupport(
  software: SupportedSoftware,
  version: string,
  now: Date,
): VersionSupport | null {
  const { asOf, ends } = SUPPORT_TABLES[software];
  const [, cycle = ''] = MAJOR_MINOR.exec(version) ?? [];
  const endsOn = Object.hasOwn(ends, cycle) ? ends[cycle as keyof typeof ends] : undefined;
  return endsOn === undefined ? null : { state: stateAt(endsOn, now), endsOn, asOf };
}

/** Lists the versions, such as 8.1, that a filter finds. */
export function listVersionsOf(filter: SupportFilter, now: Date): string[] {
  const [software, state] = filter.split('_') as [SupportedSoftware, SupportState];
  return Object.entries(SUPPORT_TABLES[software].ends)
    .filter(([, endsOn]) => stateAt(endsOn, now) === state)
    .map(([cycle]) => cycle);
}

/** The last day counts as supported. */
function stateAt(endsOn: string, now: Date): SupportState {
  const leftMs = Date.parse(endsOn) + DAY_MS - now.getTime();
  if (leftMs <= 0) return 'ended';
  return leftMs <= ENDING_DAYS * DAY_MS ? 'ending' : 'supported';
}
