import { count, formatNumber } from '../lib/format.ts';

/** The dialog that archives sites, and the notes on archived sites. */
export const archiveMessages = {
  title: (sites: number) => (sites === 1 ? 'Archive this site' : `Archive ${count(sites, 'site')}`),
  submit: (sites: number) => (sites === 1 ? 'Archive site' : `Archive ${count(sites, 'site')}`),
  effects: (sites: number) =>
    sites === 1
      ? [
          'Steward disconnects the site, frees its seat and removes it from all lists and counts. The site itself does ' +
            'not change and keeps running.',
          'Its history stays. The status filter "Archived" shows the site. To manage it again, connect it again.',
        ]
      : [
          `Steward disconnects these ${count(sites, 'site')}, frees their seats and removes them from all lists and ` +
            'counts. The sites themselves do not change and keep running.',
          'Their history stays. The status filter "Archived" shows the sites. To manage a site again, connect it with ' +
            'a new enrolment code.',
        ],
  tooMany: (max: number) => `Select at most ${formatNumber(max)} sites to archive.`,
  done: (sites: number) => `${count(sites, 'site')} archived.`,
  menuLabel: 'Archive…',
  restore: 'Restore to the list',
  restored: (sites: number) => `${count(sites, 'site')} restored to the list.`,
  section: 'Remove this site',
  sectionNote: 'Archiving disconnects the site and hides it from all lists. Its history stays.',
  archivedSince: (time: string) => `This site was archived on ${time}`,
  archivedNote:
    'It is disconnected and hidden from all lists. The site itself keeps running. To manage it again, connect it again. ' +
    'Owners can also restore it to the list; it stays disconnected.',
} as const;
