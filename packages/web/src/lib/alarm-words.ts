import type { SiteAlarmReport } from '@steward/contract';

export type AlarmWords = { title: string; meaning: string };

const NEW_KEY =
  'Disconnect the site in the plugin’s settings and connect it again: that gives it a new key.';

/** What the log of a site's calls has shown, and what to do about it. */
export function alarmWords({ kind }: Pick<SiteAlarmReport, 'kind'>): AlarmWords {
  if (kind === 'foreign_call') {
    return {
      title: 'The site obeyed a call that this panel did not make.',
      meaning: `The key of the site and the signing key of the panel may be in other hands. ${NEW_KEY} Check its plugins and users, and replace the signing key: npx steward signing-key rotate.`,
    };
  }
  return {
    title: 'The log of calls on this site was changed or removed.',
    meaning: `Restoring the site from a backup does this too. If it was not restored, check its plugins and users. ${NEW_KEY}`,
  };
}
