import { describe, expect, it } from 'vitest';
import { type CallResult, findingOf } from './call-findings.ts';

/** What a call to a site shows of it. */

const call: CallResult = {
  siteId: 1,
  runId: 2,
  kind: 'update',
  status: 'failed',
  code: null,
  error: 'Why.',
  details: null,
};
const counts = {
  plugins: { updated: 1, failed: 1 },
  themes: { updated: 1, failed: 0 },
  core: { updated: 0, failed: 1 },
};
const partial = {
  errors: [
    { type: 'system', error: 'The report did not arrive.' },
    { type: 'plugin', error: 'The package is broken.' },
    { type: 'core', error: 'No space left.' },
  ],
};

describe('a call to a site', () => {
  const fault = (kind: string, code: string) => ({ fault: kind, code, error: 'Why.' });
  const cases: [string, Partial<CallResult>, unknown][] = [
    ['an update that succeeded', { status: 'succeeded' }, 'works'],
    ['an action that succeeded', { kind: 'plugin_action', status: 'succeeded' }, 'works'],
    ['a sync that succeeded', { kind: 'sync', status: 'succeeded' }, 'answers'],
    ['one that was refused', { status: 'refused', code: 'site_not_active' }, 'nothing'],
    ['one that was cancelled', { status: 'cancelled' }, 'nothing'],
    ['a site that was busy', { code: 'site_busy' }, 'nothing'],
    ['a panel that was stopped', { status: 'unknown', code: 'unavailable' }, 'nothing'],
    ['a fault of the panel', { status: 'unknown', code: 'internal_error' }, 'nothing'],
    ['what cannot be asked of any site', { code: 'management_plugin' }, 'nothing'],
    ['an update that failed', { code: 'action_failed' }, fault('failing', 'action_failed')],
    ...['activate', 'deactivate', 'delete'].map(
      (action): [string, Partial<CallResult>, unknown] => [
        `a plugin that it could not ${action}`,
        { kind: 'plugin_action', action, code: 'action_failed' },
        fault('failing', `${action}_failed`),
      ],
    ),
    [
      'a plugin that it could not update',
      { kind: 'plugin_action', action: 'update', code: 'action_failed' },
      fault('failing', 'action_failed'),
    ],
    [
      'a key that was refused to an action',
      { kind: 'plugin_action', action: 'delete', code: 'site_rejected_key' },
      fault('failing', 'site_rejected_key'),
    ],
    [
      'a key that was refused',
      { code: 'site_rejected_key' },
      fault('failing', 'site_rejected_key'),
    ],
    [
      'a key that was refused to a sync',
      { kind: 'sync', code: 'site_rejected_key' },
      fault('failing', 'site_rejected_key'),
    ],
    ['a sync that the site could not do', { kind: 'sync', code: 'action_failed' }, 'nothing'],
    ['Remote switched off', { code: 'remote_disabled' }, fault('remote_off', 'remote_disabled')],
    ...[
      'site_unreachable',
      'site_timeout',
      'site_tls_error',
      'site_redirected',
      'site_invalid_response',
      'site_response_too_large',
    ].map((code): [string, Partial<CallResult>, unknown] => [
      code,
      { kind: 'sync', code },
      fault('not_reachable', code),
    ]),
    [
      'a lost call that nobody could ask about',
      { status: 'unknown', code: 'site_unreachable' },
      fault('not_reachable', 'site_unreachable'),
    ],
    [
      'a lost action that was found not to be done',
      { kind: 'plugin_action', code: 'site_unreachable', hasAnsweredSince: true },
      'answers',
    ],
    [
      'an update of which a part failed',
      { status: 'partial', details: partial, counts, error: null },
      {
        fault: 'failing',
        code: 'action_failed',
        error: '2 of 4 updates failed. The package is broken.',
      },
    ],
    [
      'a lost update that was found to have failed',
      { status: 'failed', code: 'site_unreachable', details: partial },
      expect.objectContaining({ fault: 'failing', code: 'action_failed' }),
    ],
  ];
  for (const [what, facts, finding] of cases) {
    it(`shows of ${what}: ${typeof finding === 'string' ? finding : 'a fault'}`, () => {
      expect(findingOf({ ...call, ...facts })).toEqual(finding);
    });
  }
});
