/** Held versions, on many pages. Apart from the texts of rules, which only their page and dialogs load. */
export const holdMessages = {
  holdVersion: {
    open: 'Hold this version',
    menuLabel: 'Hold this version…',
    /** For screen readers. It starts with the visible text. */
    openOf: (name: string, version: string) => `Hold this version: ${name} ${version}`,
    confirm: 'Hold version',
    done: 'Version held',
    replaces: (rule: string) => `This replaces the rule: ${rule}`,
  },

  hold: {
    openRule: 'View rule',
    openQuarantine: 'View quarantine',
    autoUpdate: 'WordPress updates this automatically',
    autoUpdateHeld:
      'WordPress updates this automatically. Rules and quarantine of Steward do not stop WordPress itself: turn off automatic updates on the site.',
  },
} as const;
