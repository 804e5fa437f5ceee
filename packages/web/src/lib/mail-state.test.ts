import { expect, it } from 'vitest';
import { findMailState } from './mail-state.ts';

const MORNING = '2026-06-01T08:00:00.000Z';
const NOON = '2026-06-01T12:00:00.000Z';
const sent = (at: string) => ({ at, recipient: 'anna@example.com' });
const failed = (at: string) => ({ ...sent(at), error: 'The mail server refused the login.' });

it.each([
  ['not_configured', { configured: false, last_sent: sent(NOON) }],
  ['unused', {}],
  ['working', { last_sent: sent(NOON) }],
  ['failing', { last_failure: failed(NOON) }],
  ['working', { last_sent: sent(NOON), last_failure: failed(MORNING) }],
  ['failing', { last_sent: sent(MORNING), last_failure: failed(NOON) }],
])('%s: %o', (state, status) => {
  const unused = { configured: true, server: null, sender: null, links_start_with: '' };
  expect(findMailState({ ...unused, last_sent: null, last_failure: null, ...status })).toBe(state);
});
