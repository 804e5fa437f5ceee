/**
 * What a failure means for a site, and what to do next. What went wrong is the panel's own sentence;
 * this adds to it, in one place, for the screens of runs and of sites.
 */

export type NextStep = 'retry' | 'sync' | 'open_site' | 'site_page' | 'license';
export type Advice = { meaning: string; next: NextStep[] };

/** How a task ended, as far as it decides what to say. */
export type Ending = {
  kind: string;
  /** What was to be done to the plugin of a `plugin_action`. */
  action?: string | undefined;
  status: string;
  code: string | null;
  isOpen?: boolean;
  /** Of an update: it is known item by item what the site has. */
  hasItems?: boolean;
};

const NOTHING_CHANGED = 'Nothing was changed: the site runs what it ran before.';
const OLD_VERSION = 'The old version is still running.';
const NOT_ASKED = 'The site was not called, so nothing has changed there.';
const PERHAPS = 'It may or may not have happened. A sync asks the site what it has now.';

const UNVERIFIED =
  'It is done on the site, but neither the site nor the panel could see whether its pages still work. Open the site and look.';

const BY_CODE: Record<string, Advice> = {
  site_rejected_key: {
    meaning: `${NOTHING_CHANGED} The panel cannot act there until the site is connected again with its license key.`,
    next: ['open_site', 'retry'],
  },
  site_rejected_signature: {
    meaning: `${NOTHING_CHANGED} The site does not believe that the call came from this panel.`,
    next: ['open_site', 'retry'],
  },
  address_not_proven: {
    meaning: `${NOT_ASKED} The panel sends the key of a site only where the site has shown that it is there.`,
    next: ['open_site', 'retry'],
  },
  site_login_required: {
    meaning: `${NOTHING_CHANGED} The license key is right; the panel did not get as far as the plugin.`,
    next: ['open_site', 'retry'],
  },
  request_blocked: {
    meaning: `${NOTHING_CHANGED} The panel did not get as far as its plugin.`,
    next: ['open_site', 'retry'],
  },
  site_down: {
    meaning: `${NOTHING_CHANGED} Visitors see an error there, too.`,
    next: ['open_site', 'retry'],
  },
  site_redirected: {
    meaning: `${NOTHING_CHANGED} The key is sent to the connected address only, so the panel did not follow.`,
    next: ['open_site', 'retry'],
  },
  site_busy: {
    meaning: `${NOTHING_CHANGED} Something else is being changed there at the moment.`,
    next: ['retry', 'site_page'],
  },
  site_not_active: {
    meaning: `${NOT_ASKED} Renew the license, or connect the site again.`,
    next: ['license', 'site_page'],
  },
  site_not_found: {
    meaning: 'It was removed, or it is not one of your sites. There is nothing to do here.',
    next: [],
  },
  remote_disabled: {
    meaning: `${NOTHING_CHANGED} Somebody has to switch Remote on in the plugin’s settings on the site.`,
    next: ['open_site', 'retry'],
  },
  file_changes_disabled: {
    meaning: `${NOTHING_CHANGED} Its own settings or file rights do not let anything be replaced or removed.`,
    next: ['open_site', 'site_page'],
  },
  plugin_not_found: {
    meaning:
      'Somebody has removed it there since the last report. A sync brings the list up to date.',
    next: ['sync', 'site_page'],
  },
  management_plugin: {
    meaning: 'It is what the panel works through. Update it on the site itself.',
    next: ['open_site'],
  },
};

/**
 * The site was not reached, or its answer was lost and it was asked afterwards. The code does not tell
 * which, so what is said holds for both. What follows it, if anything does:
 */
const NO_ANSWER: Record<string, string> = {
  site_unreachable: '',
  site_timeout: '',
  site_tls_error: ' Visitors may see a warning there, too.',
  site_invalid_response: ' What came back was no valid answer of the plugin.',
  site_response_too_large: ' What came back was too large to be an answer of the plugin.',
};
const NOT_DONE: Record<string, string> = {
  update: 'The update was not made.',
  activate: 'The plugin was not activated.',
  deactivate: 'The plugin was not deactivated.',
  delete:
    'The plugin was not deleted. If the site had begun, it may be switched off and its data removed.',
};

function notDone({ kind, action = '', hasItems = false }: Ending): string {
  if (kind === 'plugin_action') return NOT_DONE[action] ?? SHOWN_BY_SYNC;
  // Without a word on its items the site was never reached: else it would have been asked.
  return hasItems ? 'None of the updates was made.' : NOTHING_CHANGED;
}

const AS_IT_WAS =
  'The site tried and could not do it: the plugin should be as it was. A sync shows it.';
/** What a site is left with that has tried and failed. */
const AFTER_FAILED: Record<string, string> = {
  update: OLD_VERSION,
  activate: AS_IT_WAS,
  deactivate: AS_IT_WAS,
  // The plugin is deactivated and its uninstall routine run before its files are removed.
  delete: 'It may be switched off and its data removed; its files are still there.',
};
const SHOWN_BY_SYNC = 'A sync shows what the site has now.';

const SYNC_FAILED = 'Only the news are missing. Nothing is changed by a sync.';

/** The first that fits: what is still open, how it ended, then why. */
export function adviceOn(ending: Ending): Advice | null {
  const { kind, action = kind, status, code, isOpen = false } = ending;
  if (status === 'unknown' && isOpen) {
    return {
      meaning:
        'No answer came that says how it ended. The panel is asking the site what became of it; this goes on by itself.',
      next: [],
    };
  }
  if (status === 'unknown') return { meaning: PERHAPS, next: ['sync', 'open_site', 'retry'] };
  if (status === 'unverified') return { meaning: UNVERIFIED, next: ['open_site', 'site_page'] };
  if (status === 'partial') {
    return {
      meaning: 'What was updated stays. Of what failed, the old version is still running.',
      next: ['retry', 'site_page', 'open_site'],
    };
  }
  if (status === 'cancelled') return { meaning: NOT_ASKED, next: ['retry', 'site_page'] };
  if (status !== 'failed' && status !== 'refused') return null;
  const known = adviceByCode(ending);
  if (kind === 'sync') return { meaning: SYNC_FAILED, next: known?.next ?? ['retry', 'open_site'] };
  if (known) return known;
  if (code === 'action_failed') {
    const meaning = AFTER_FAILED[action] ?? SHOWN_BY_SYNC;
    return { meaning, next: ['retry', 'sync', 'open_site'] };
  }
  if (status === 'refused') return { meaning: NOT_ASKED, next: ['site_page'] };
  const meaning = action === 'update' ? OLD_VERSION : NOTHING_CHANGED;
  return { meaning, next: ['retry', 'open_site'] };
}

function adviceByCode(ending: Ending): Advice | undefined {
  const { code } = ending;
  if (code === null) return undefined;
  const more = NO_ANSWER[code];
  if (more === undefined) return BY_CODE[code];
  return { meaning: `${notDone(ending)}${more}`, next: ['open_site', 'retry'] };
}

export type SiteTrouble = { title: string; meaning: string; next: NextStep[] };

/** Why nothing can be done with a site, or what the last call found wrong there. Null: all is well. */
export function troubleOf(site: {
  status: string;
  fault: { code: string; error: string } | null;
  license: { status: string };
}): SiteTrouble | null {
  const { status, fault, license } = site;
  const said = fault?.error ?? '';
  switch (status) {
    case 'failing':
      return {
        title: said || 'The last action on this site failed.',
        ...failingOf(fault?.code ?? ''),
      };
    case 'not_reachable':
      return {
        title: said || 'The site could not be reached.',
        meaning:
          'Until it answers the panel again, nothing can be done there from here. For its visitors it may be up.',
        next: ['sync', 'open_site'],
      };
    case 'remote_off':
      return fault?.code === 'remote_disabled'
        ? {
            title: said,
            meaning:
              'Somebody has to switch Remote on in the plugin’s settings on the site. Then sync it.',
            next: ['open_site', 'sync'],
          }
        : {
            title: 'The license of this site does not have the Remote service.',
            meaning: 'The site is licensed, but the panel may not act on it.',
            next: ['license'],
          };
    case 'license_invalid':
      return {
        title: `The license of this site is ${license.status}.`,
        meaning:
          'The site goes on as it is. The panel does not act on it until the license is valid.',
        next: ['license'],
      };
    case 'deactivated':
      return {
        title: 'The license was taken off this site.',
        meaning:
          'The site goes on as it is. To manage it again, connect it in the plugin’s settings there.',
        next: ['open_site'],
      };
    case 'stale':
      return {
        title: 'This site has not been heard of for three days.',
        meaning: 'What is shown here may be old. A sync asks the site what it has now.',
        next: ['sync', 'open_site'],
      };
    default:
      return null;
  }
}

/** Updates can be tried again from the site's page; what was to be done to one plugin is in its row. */
function failingOf(code: string): Advice {
  if (code === 'action_failed') {
    return { meaning: OLD_VERSION, next: ['retry', 'sync', 'open_site'] };
  }
  const action = code.endsWith('_failed') ? code.slice(0, -'_failed'.length) : '';
  const meaning = AFTER_FAILED[action] ?? BY_CODE[code]?.meaning ?? SHOWN_BY_SYNC;
  return { meaning, next: ['sync', 'open_site'] };
}
