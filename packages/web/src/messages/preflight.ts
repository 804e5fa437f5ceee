import { BACKUP_RECENT_HOURS } from '@steward/contract';
import { count, formatNumber } from '../lib/format.ts';

/** The prediction of failing updates, in the update dialog and on the page of a site. */
export const preflightMessages = {
  wouldFail: (sites: number) => `Would fail on ${count(sites, 'site')}`,
  mayFail: (sites: number) => `May fail on ${count(sites, 'site')}`,
  partial: (sites: number) =>
    `On ${count(sites, 'site')}, some updates would or may fail. The other updates of ${sites === 1 ? 'this site' : 'these sites'} would be installed`,
  leaveOutCertain: (sites: number) => `Leave out ${count(sites, 'site')} that would fail`,
  leaveOutUncertain: (sites: number) => `Leave out ${count(sites, 'site')} that may fail`,
  group: (message: string, sites: number) => `${count(sites, 'site')}: ${message}`,
  moreSites: (sites: number) => `and ${formatNumber(sites)} more`,
  unchecked: (sites: number) =>
    `${count(sites, 'site has', 'sites have')} sent no preflight report in the last 24 hours, so the result is not certain. Sync first; if this does not help, update ${sites === 1 ? 'its' : 'their'} Steward plugin.`,
  withoutBackup: (sites: number) =>
    `${count(sites, 'site')} reported no full backup in the last ${BACKUP_RECENT_HOURS} hours`,
  backupNotKnown: 'Backup not known',
  lastBackup: 'Last backup',
  checkFailed: 'Steward could not check which sites would fail. You can still start the update.',
  versionWarning: (name: string, message: string) => `${name}: ${message}`,
  failsElsewhere: 'A pending version fails on other sites',
  siteTitle: {
    certain: 'Updates would fail on this site',
    uncertain: 'Updates may fail on this site',
  },
  siteSome: {
    certain: 'Some updates would fail on this site',
    uncertain: 'Some updates may fail on this site',
  },
} as const;
