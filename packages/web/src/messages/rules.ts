import {
  describeRule,
  type KnownVersion,
  type SoftwareType,
  type UpdateRule,
} from '@steward/contract';
import { count } from '../lib/format.ts';

export const rulesMessages = {
  title: 'Rules',
  note: (rules: number, quarantined: number) =>
    `${count(rules, 'rule')}, ${count(quarantined, 'quarantined version')}`,
  create: 'New rule',
  empty: {
    title: 'No rules yet',
    text: 'Without rules, an update installs every pending version. A rule can hold versions back: for some days, until the site has a recent backup, or for good. It can also restore the saved version if an update causes trouble.',
  },
  groups: { fleet: 'All sites', tag: 'Sites with a tag', site: 'Single sites' },
  sentence: (rule: Parameters<typeof describeRule>[0]) => describeRule(rule),
  sites: (sites: number) => count(sites, 'site'),
  edit: 'Edit…',
  remove: 'Delete…',
  actions: (rule: string) => `Actions for the rule: ${rule}`,
  removeDialog: {
    title: 'Delete rule',
    text: 'After that, it holds no version. A rule for more sites may still apply. The next update run installs updates that no rule or quarantine holds.',
    restoreText:
      'This rule no longer decides whether Steward restores a saved version by itself. If a less specific rule for the same items exists, it applies instead. Without one, Steward restores nothing by itself.',
    done: 'Rule deleted',
  },
  notFound: 'This rule no longer exists.',

  dialog: {
    createTitle: 'New rule',
    editTitle: 'Edit rule',
    create: 'Create rule',
    save: 'Save rule',
    created: 'Rule created',
    saved: 'Rule saved',
    sites: 'Sites',
    scopes: { fleet: 'All sites', tag: 'Sites with a tag', site: 'One site' },
    tag: 'Tag',
    site: 'Site',
    items: 'Items',
    itemTypes: {
      all: 'All plugins, themes and core',
      plugin: 'All plugins',
      theme: 'All themes',
      core: 'WordPress core',
      one: 'One plugin or theme',
    },
    software: 'Plugin or theme',
    effect: 'Effect',
    effects: {
      wait: 'Wait some days after a version first appeared',
      patch: 'Allow only patch versions (1.2.3 to 1.2.4)',
      minor:
        'Allow patch and minor versions (1.2 to 1.3; of WordPress core only patches: 6.8.1 to 6.8.2)',
      pin: 'Keep at a version: do not update beyond it',
      ignore: 'Ignore one version',
      backup: 'Update only with a recent backup',
      never: 'Never update, install or restore',
      all: 'Allow all updates',
      restore: 'Restore the saved version if an update causes trouble',
      keep: 'Do not restore the saved version, even if a wider rule says so',
    },
    restoreNote:
      'Once per update, while Steward watches it (24 hours by default), and only because of a new, confirmed error on real requests. A restore replaces files only. The database stays as it is: check that the old version works with it.',
    restoreOrder:
      'If rules differ, a rule for one site wins over a rule for a tag, and that one over a rule for all sites.',
    days: 'Days',
    hours: 'Hours',
    hoursHint:
      'The last full backup that the site reports must have started within this time. If the site reports none, its updates are held. 0: no backup is needed here, even if a rule for more sites needs one.',
    version: 'Version',
    note: 'Note',
    noteHint: 'Other owners see it. For example: the reason.',
    appliesTo: (sites: number) => `Applies to ${count(sites, 'site')}, based on the last reports.`,
    holdOrder:
      'If rules differ, a rule for one site wins over a rule for a tag, and that one over a rule for all sites. An ignored version is never installed.',
    noCoreRestore: 'Steward saves no versions of WordPress core. Choose plugins or themes.',
    incomplete:
      'Complete the fields to see what the rule does. A rule with a version needs one plugin, one theme or core.',
  },

  version: {
    label: 'Version',
    placeholder: 'Choose a version',
    chooseItem: 'Choose the plugin, theme or core first',
    none: 'No such version is known.',
    /** "installed on 3 sites, offered on 5 sites, uploaded" */
    note: ({ installed_sites, offered_sites, saved_sites, has_package }: KnownVersion) =>
      [
        installed_sites > 0 && `installed on ${count(installed_sites, 'site')}`,
        offered_sites > 0 && `offered on ${count(offered_sites, 'site')}`,
        saved_sites > 0 && `saved on ${count(saved_sites, 'site')}`,
        has_package && 'uploaded',
      ]
        .filter(Boolean)
        .join(', '),
  },

  quarantine: {
    title: 'Quarantined versions',
    text: 'Steward does not install a quarantined version on any site until an owner lifts the quarantine.',
    emptyTitle: 'No version is quarantined.',
    empty: 'If a version causes trouble, quarantine it. Steward then installs it on no site.',
    add: 'Quarantine version…',
    states: { open: 'Held', lifted: 'Lifted' },
    bySystem: 'Steward',
    /** Followed by the time. */
    by: (name: string) => `${name},`,
    version: (name: string, version: string) => `${name} ${version}`,
    lift: 'Lift quarantine…',
    liftOf: (version: string) => `Lift quarantine of ${version}`,
    liftTitle: 'Lift quarantine',
    liftText: (version: string) =>
      `Runs, schedules and users can install ${version} again. The audit log keeps your reason.`,
    liftConfirm: 'Lift quarantine',
    lifted: 'Quarantine lifted',
    liftedBecause: (name: string, reason: string) => `Lifted by ${name}: ${reason}`,
    reason: 'Reason',
    software: 'Plugin, theme or core',
    addTitle: 'Quarantine version',
    addConfirm: 'Quarantine version',
    added: 'Version quarantined',
  },
} as const;

export type RuleEffect = keyof typeof rulesMessages.dialog.effects;

/** Users choose one effect. A rule stores it as an aspect and, for a level, which one. */
export function effectOf({
  aspect,
  level,
  enabled,
}: Pick<UpdateRule, 'aspect' | 'level' | 'enabled'>): RuleEffect {
  if (aspect === 'restore') return enabled ? 'restore' : 'keep';
  return aspect === 'level' ? (level ?? 'all') : aspect;
}

export type ItemChoice = 'all' | SoftwareType | 'one';
