import { describe, expect, it } from 'vitest';
import { assessCall, type CallResult } from './assess-call.ts';

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

describe('assessCall', () => {
  const fault = (kind: string, code: string) => ({ fault: kind, code, error: 'Why.' });
  const cases: [string, Partial<CallResult>, unknown][] = [
    ['an update that succeeded', { status: 'succeeded' }, 'healthy'],
    ['a plugin action that succeeded', { kind: 'plugin_action', status: 'succeeded' }, 'healthy'],
    ['a sync that succeeded', { kind: 'sync', status: 'succeeded' }, 'reachable'],
    ['an installation that succeeded', { kind: 'install', status: 'succeeded' }, 'reachable'],
    [
      'a restore with a failed item',
      { kind: 'restore', status: 'failed', details: partial, counts },
      'reachable',
    ],
    [
      'an installation that failed as a whole',
      { kind: 'install', code: 'action_failed' },
      fault('failing', 'install_failed'),
    ],
    ['a refused task', { status: 'refused', code: 'site_not_active' }, 'inconclusive'],
    ['a cancelled task', { status: 'cancelled' }, 'inconclusive'],
    ['a busy site', { code: 'site_busy' }, 'inconclusive'],
    ['a stopped panel', { status: 'unknown', code: 'unavailable' }, 'inconclusive'],
    [
      'an internal error of the panel',
      { status: 'unknown', code: 'internal_error' },
      'inconclusive',
    ],
    ['an action on the Steward plugin itself', { code: 'management_plugin' }, 'inconclusive'],
    ['an update that failed', { code: 'action_failed' }, fault('failing', 'action_failed')],
    ...['activate', 'deactivate', 'delete'].map(
      (action): [string, Partial<CallResult>, unknown] => [
        `a plugin action ${action} that failed`,
        { kind: 'plugin_action', action, code: 'action_failed' },
        fault('failing', `${action}_failed`),
      ],
    ),
    [
      'a plugin action update that failed',
      { kind: 'plugin_action', action: 'update', code: 'action_failed' },
      fault('failing', 'action_failed'),
    ],
    [
      'a rejected key in a plugin action',
      { kind: 'plugin_action', action: 'delete', code: 'site_rejected_key' },
      fault('failing', 'site_rejected_key'),
    ],
    [
      'a rejected key in an update',
      { code: 'site_rejected_key' },
      fault('failing', 'site_rejected_key'),
    ],
    [
      'a rejected key in a sync',
      { kind: 'sync', code: 'site_rejected_key' },
      fault('failing', 'site_rejected_key'),
    ],
    ['a sync that failed', { kind: 'sync', code: 'action_failed' }, 'inconclusive'],
    [
      'remote management that is off',
      { code: 'remote_disabled' },
      fault('remote_off', 'remote_disabled'),
    ],
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
      'a lost answer that could not be reconciled',
      { status: 'unknown', code: 'site_unreachable' },
      fault('not_reachable', 'site_unreachable'),
    ],
    [
      'a lost plugin action that reconciling found not done',
      { kind: 'plugin_action', code: 'site_unreachable', hasRespondedSince: true },
      'reachable',
    ],
    [
      'a partly failed update',
      { status: 'partial', details: partial, counts, error: null },
      {
        fault: 'failing',
        code: 'action_failed',
        error: '2 of 4 updates failed. The package is broken.',
      },
    ],
    [
      'a lost update that reconciling found failed',
      { status: 'failed', code: 'site_unreachable', details: partial },
      expect.objectContaining({ fault: 'failing', code: 'action_failed' }),
    ],
  ];
  for (const [name, facts, assessment] of cases) {
    it(`assesses ${name} as ${typeof assessment === 'string' ? assessment : 'a fault'}`, () => {
      expect(assessCall({ ...call, ...facts })).toEqual(assessment);
    });
  }
});
