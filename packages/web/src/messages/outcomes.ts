import { count, formatNumber } from '../lib/format.ts';

/** The states of tasks and runs. One word for each state, on every screen. */
const states = {
  succeeded: 'Succeeded',
  partial: 'Partly failed',
  failed: 'Failed',
  unverified: 'Unverified',
  unknown: 'Unknown',
  verifying: 'Verifying',
  refused: 'Refused',
  cancelled: 'Cancelled',
  running: 'Running',
  /** A queued site that was called before. */
  retrying: 'Trying again',
  queued: 'Queued',
} as const;

/** Tooltips for the states that need an explanation. */
const explanations: Partial<Record<keyof typeof states, string>> = {
  unverified: 'The change was made, but Steward could not fully verify the result',
  unknown: 'No valid response arrived, and Steward could not find out what was changed',
  verifying: 'No valid response arrived. Steward is checking what was changed',
  retrying: 'The site was busy or did not respond. Steward calls it again soon',
};

const actions: Record<string, string> = {
  update: 'Update',
  activate: 'Activate',
  deactivate: 'Deactivate',
  delete: 'Delete',
};

export const outcomeMessages = {
  states,
  explanations,
  percent: (percent: number) => `${percent} %`,
  countOf: (amount: number, outcome: keyof typeof states) =>
    `${formatNumber(amount)} ${states[outcome].toLowerCase()}`,
  updateTitle: (sites: number) => `Update of ${count(sites, 'site')}`,
  syncTitle: (sites: number) => `Sync of ${count(sites, 'site')}`,
  actionTitle: (action = '', plugin = 'a plugin') => `${actions[action] ?? 'Action on'} ${plugin}`,
  kinds: {
    update: 'Installs all pending plugin, theme and core updates',
    sync: 'Each site checks for updates and reports its inventory',
    plugin_action: 'One action on one plugin',
    install: 'Installs packages',
    restore: 'Restores previous versions',
    self_update: 'Each site updates its Steward plugin',
  },
} as const;
