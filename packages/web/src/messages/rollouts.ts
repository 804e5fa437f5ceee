import type { RolloutSiteState, RolloutStatus } from '@steward/contract';
import { count, formatNumber } from '../lib/format.ts';

const stateWords: Record<RolloutSiteState, string> = {
  waiting: 'waiting',
  updating: 'updating',
  updated: 'updated',
  unchecked: 'not checked',
  failed: 'not fully updated',
  troubled: 'troubled',
  cancelled: 'not started',
};

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** Rollouts: the plan in the update dialog, the list and the page of a rollout. */
export const rolloutMessages = {
  choice: {
    label: 'How',
    atOnce: 'All sites at once',
    inRings: 'In rings',
    inRingsNote:
      'In rings, a few sites are updated first, then more. The rollout halts by itself if a version causes trouble.',
    start: (sites: number) =>
      sites === 0 ? 'Start rollout' : `Start rollout to ${count(sites, 'site')}`,
  },
  plan: {
    rings: 'Rings',
    kindOf: (ring: number) => `Ring ${ring}: choose sites by`,
    kinds: { tag: 'Tag', percent: 'Share' },
    tagOf: (ring: number) => `Ring ${ring}: tag`,
    percentOf: (ring: number) => `Ring ${ring}: share of the sites of this rollout`,
    percentSuffix: ' %',
    percentName: (percent: number) => `${percent} %`,
    otherSites: 'All other sites',
    sites: (sites: number) => (sites === 0 ? '0 sites, skipped' : count(sites, 'site')),
    noTaggedSites: (tag: string) =>
      `None of these sites has the tag “${tag}”. Add the tag on the page Sites (select sites, then choose Tag), or choose another tag or a share.`,
    counting: '…',
    remove: (ring: number) => `Remove ring ${ring}`,
    addRing: 'Add ring',
    soak: 'Soak time',
    soakUnit: 'Unit of the soak time',
    soakUnits: { minutes: 'minutes', hours: 'hours', days: 'days' },
    firstMax: 'First ring: halt if more sites than this are troubled',
    laterPercent: 'Later rings: halt if a larger share of sites than this is troubled',
    proof: 'Share of sites in each ring on which an update must succeed',
    proofNote:
      'An update succeeded on a site if Steward verified it and the site has no trouble until the soak time ends. If empty, one site is enough.',
    proofOneSite: 'One site',
    severalVersions:
      'Your sites offer several versions. A rollout installs one of them. Sites that offer another version do not get this update.',
    versionOf: (item: string) => `Version of ${item}`,
    versionOption: (version: string, sites: number) => `${version} on ${count(sites, 'site')}`,
    halts: (firstMax: number, laterPercent: number) =>
      'After the soak time, the next ring gets each update that worked in this ring. If no site of a ring needs an update, the next ring tries it first. ' +
      `If an update causes trouble on at least ${count(firstMax + 1, 'site')} of its first ring, or on more than ${laterPercent} % of ` +
      'its sites in a later ring, the rollout halts and Steward quarantines that version. Trouble: the update failed after it changed files, was rolled back, has an unknown result, or left pages or requests that fail.',
    note: 'The rollout continues when you close this page. A plugin or theme that breaks a site is rolled back.',
    incomplete: 'Fill in every ring, the soak time and the limits.',
  },
  list: {
    title: 'Rollouts',
    note: 'Updates that spread over your sites ring by ring',
    active: (rollouts: number) => `${formatNumber(rollouts)} active`,
    loadOlder: 'Load older rollouts',
    /** Followed by the time. */
    startedBy: (user: string) => `${user}, `,
    emptyTitle: 'No rollouts yet',
    emptyForManagers:
      'A rollout updates a few sites first and halts by itself if a version causes trouble. Select sites, choose Update, ' +
      'then choose “In rings”.',
    emptyForViewers: 'A rollout is visible to the user who started it and to owners.',
    goToSites: 'Show sites with pending updates',
    ringProgress: (ring: string, summary: string) => `${ring}: ${summary}`,
  },
  statuses: {
    running: 'Updating',
    soaking: 'Soaking',
    halted: 'Halted',
    finished: 'Finished',
    cancelled: 'Ended early',
  } satisfies Record<RolloutStatus, string>,
  unknownUser: 'Unknown user',
  page: {
    noun: 'rollout',
    title: 'Rollout',
    notFoundReason: 'A rollout is visible to the user who started it and to owners.',
    /** Followed by the time. */
    started: (user: string) => `Started by ${user}, `,
    progress: (updated: number, total: number) =>
      `${formatNumber(updated)} of ${count(total, 'site')} updated`,
    tabTitle: (status: string, name: string) => `${status}: ${name}`,
    hiddenSites: (sites: number) =>
      `${count(sites, 'site')} of this rollout ${sites === 1 ? 'is' : 'are'} hidden: you have no access.`,
    items: 'Updates',
    held: 'quarantined',
    legend: 'Legend',
  },
  states: {
    waiting: 'Waiting',
    updating: 'Updating',
    updated: 'Updated',
    unchecked: 'Not checked',
    failed: 'Not fully updated',
    troubled: 'Troubled',
    cancelled: 'Not started',
  } satisfies Record<RolloutSiteState, string>,
  explanations: {
    waiting: 'The site has not been called yet.',
    updating: 'The site is installing the update.',
    updated: 'The site runs the new version and responds normally.',
    unchecked:
      'The site runs the new version, but not all of its pages could be checked. This counts neither as trouble nor as proof.',
    failed:
      'At least one update was not installed, for example because Steward could not reach the site. This counts neither as trouble nor as proof. You can retry the run.',
    troubled:
      'The update failed after it changed files, was rolled back or left pages that differ from before, its result is not known, the site works worse than before, or real requests end in a new error.',
    cancelled: 'The rollout stopped before it reached the site.',
  } satisfies Record<RolloutSiteState, string>,
  countOf: (sites: number, state: RolloutSiteState) =>
    `${formatNumber(sites)} ${stateWords[state]}`,
  /** What happens next in an active rollout. */
  flow: {
    updating: (ring: string) =>
      `The ring “${ring}” is updating. After its last site, the soak time starts.`,
    /** Followed by the time. */
    nextStarts: 'Unless the rollout halts, the next ring starts ',
    finishes: 'Unless the rollout halts, it finishes ',
    now: 'now',
    in: (time: string) => `in ${time}`,
    /** Two units, so that the text keeps its length while it counts down. */
    countdown: (left: { days: number; hours: number; minutes: number; seconds: number }) => {
      const { days, hours, minutes, seconds } = left;
      if (days > 0) return `${days} d ${twoDigits(hours)} h`;
      if (hours > 0) return `${hours} h ${twoDigits(minutes)} min`;
      return `${minutes} min ${twoDigits(seconds)} s`;
    },
  },
  ring: {
    states: {
      empty: 'Skipped: no sites',
      waiting: 'Waiting',
      updating: 'Updating',
      soaking: 'Soaking',
      halted: 'Halted',
      done: 'Finished',
      ended: 'Ended early',
    },
    sites: (sites: number) => count(sites, 'site'),
    startNext: 'Start next ring now',
    finishNow: 'Finish now',
    endSoakTitle: 'End the soak time?',
    endSoak: (ring: string, sites: number) =>
      `The ring “${ring}” (${count(sites, 'site')}) starts now, without the rest of the soak time. A version that the present ring has not proven stops. If a schedule started this rollout, each site still waits for its window.`,
    finish: 'No ring follows. The rollout finishes without the rest of the soak time.',
    keepWaiting: 'Keep waiting',
    run: (run: number) => `Run ${run}`,
    dots: (ring: string) => `Sites of the ring ${ring}`,
    dot: (site: string, state: string) => `${site}: ${state}`,
    grouped: (sites: number, state: RolloutSiteState) =>
      `${formatNumber(sites)} ${stateWords[state]}`,
    more: (sites: number) => `and ${formatNumber(sites)} more`,
    problems: (ring: string) => `Sites that need attention in the ring ${ring}`,
    rolledBack: 'The previous version is back.',
    viewSite: 'View site',
    viewTask: 'View run',
    viewSiteOf: (site: string) => `View site ${site}`,
    viewTaskOf: (site: string) => `View run of ${site}`,
    close: 'Close',
  },
  halted: {
    title: 'Rollout halted',
    putBack: (back: number, troubled: number) =>
      back === 0
        ? 'No site was rolled back.'
        : back === troubled
          ? `The previous version is back on ${troubled === 1 ? 'the troubled site' : `all ${count(troubled, 'troubled site')}`}.`
          : `The previous version is back on ${formatNumber(back)} of ${count(troubled, 'troubled site')}.`,
    updated: (sites: number) =>
      `${count(sites, 'site was', 'sites were')} updated without trouble.`,
    unchecked: (sites: number) =>
      `${count(sites, 'site was', 'sites were')} updated but could not be fully checked.`,
    notPutBack: (sites: number) => `${count(sites, 'troubled site')} may run the new version.`,
    uncalled: (sites: number) =>
      `${count(sites, 'site still waits', 'sites still wait')} with the old version.`,
    quarantine: (items: string) =>
      `Quarantined: ${items}. Steward does not install a quarantined version until an owner lifts the quarantine.`,
    notHeld: 'No version of this rollout is quarantined.',
    separator: ', ',
    steps: 'Next steps',
    choose: 'Choose what happens next:',
    askOwnerToChoose:
      'Ask an owner to choose what happens next: restore the previous version, resume the rollout or end it.',
    restoreEffect: 'Sites with the new version get the previous version back.',
    resumeEffect: (sites: number) =>
      `${count(sites, 'remaining site gets', 'remaining sites get')} the new version. Choose this when the cause is fixed.`,
    endEffect: (isHeld: boolean) =>
      `No other site is updated.${isHeld ? ' The quarantine stays.' : ''}`,
    /** `sites` is null with several items, because each item is on different sites. The dialog shows the number. */
    restore: (item: string, sites: number | null) =>
      `Restore the previous version of ${item}${sites === null ? '…' : ` on ${count(sites, 'site')}`}`,
    nothingToRestore: (hasHiddenSites: boolean) =>
      hasHiddenSites
        ? 'None of the sites that you can see runs the new version. Ask an owner to check the hidden sites.'
        : 'No site runs the new version, so there is nothing to restore.',
    coreNote: 'A core update cannot be rolled back. To undo it, restore a backup of each site.',
    resume: 'Resume rollout',
    liftAndResume: 'Lift the quarantine and resume',
    askOwner: 'Ask an owner to lift the quarantine. After that you can resume the rollout.',
    end: 'End rollout',
  },
  proof: {
    title: 'Rollout waits for proof',
    effect: (sites: number) =>
      `${count(sites, 'site still has', 'sites still have')} the old version. The next ring starts after a site of this ring installed the new version without trouble.`,
    steps: 'Next steps',
    choose: 'Choose what happens next:',
    askOwner:
      'Ask an owner to choose what happens next: other canaries, continue without proof, or end the rollout.',
    chooseCanaries: 'Choose other canaries',
    canariesEffect: 'Sites of later rings are updated first and prove the version instead.',
    noCanaries: 'You have access to no site of a later ring, so you cannot choose other canaries.',
    continue: 'Continue without proof',
    continueEffect: 'The next ring starts. You enter a reason, which is recorded.',
    judgeAgain: 'Check this ring again',
    judgeAgainEffect: 'First retry the failed sites in the run of this ring. Then choose this.',
    judgeAgainTitle: 'Check this ring again?',
    judgeAgainNote:
      'The soak time starts again. If enough sites of this ring prove the version until it ends, the next ring starts. If not, the rollout halts again.',
  },
  canaries: {
    title: 'Choose other canaries',
    effect: (ring: string) =>
      `These sites move to the ring “${ring}” and get the update first. If they prove the version, the next ring starts after the soak time.`,
    sites: 'Sites',
    confirm: (sites: number) => `Update ${count(sites, 'site')} first`,
  },
  continue: {
    title: 'Continue without proof?',
    effect: (items: string, ring: string, sites: number) =>
      `The ring “${ring}” (${count(sites, 'site')}) gets ${items}, although no or too few sites of the ring before proved it. The sites of the ring before are not changed.`,
    reason: 'Reason',
    reasonNote: 'Recorded in the audit log and on this page.',
    confirm: 'Continue without proof',
  },
  proofNotes: {
    splitFrom: 'These updates stopped for lack of proof. The others continue in',
    splitInto: 'Some updates stopped for lack of proof. They are in',
    rollout: (id: number) => `rollout ${id}`,
    /** Followed by the time and the reason. */
    exception: (user: string, items: string, ring: string) =>
      `${user} continued with ${items} without proof of the ring “${ring}”,`,
    exceptionReason: (reason: string) => `: ${reason}`,
  },
  resume: {
    title: 'Resume this rollout?',
    effect: (sites: number) =>
      `${count(sites, 'waiting site')} will be updated. The troubled sites stay as they are and no longer count toward the limits of this rollout.`,
    lifts: (items: string) => `Runs, schedules and users can install ${items} again.`,
    reason: 'Reason',
    reasonNote: 'Recorded in the audit log.',
    confirm: 'Resume rollout',
    confirmLift: 'Lift quarantine and resume',
  },
  end: {
    button: 'End rollout',
    title: 'End this rollout?',
    waiting: (sites: number) => `${count(sites, 'waiting site')} will not be updated.`,
    updating: (sites: number) =>
      `${count(sites, 'site is', 'sites are')} in progress and will finish.`,
    updated: (sites: number) =>
      `${count(sites, 'updated site keeps', 'updated sites keep')} the new version.`,
    quarantine: 'The quarantine stays.',
    keep: 'Keep rollout',
  },
} as const;
