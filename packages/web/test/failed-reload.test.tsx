import { NOTIFICATION_EVENT_TYPES } from '@steward/contract';
import { act, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { queryClient } from '../src/lib/query-client.ts';
import { errorResponse, type PanelResponses } from './fake-panel.ts';
import { limitPreview } from './limit-preview.ts';
import {
  licenseDetails,
  MOMENT,
  NO_TAGS,
  overview,
  overviewOfOne,
  panelSettings,
  runOf,
  SHOP,
  secondFactors,
  siteItem,
  sites,
  summaryOf,
  task,
  users,
} from './panel-fixtures.ts';
import type { PanelRoute } from './panel-routes.ts';
import { renderScreen } from './render-screen.tsx';
import { schedules } from './schedule-fixtures.ts';
import { offeredItem, siteIds, softwareDetails, updatePreview } from './software-fixtures.ts';

type Screen = ReturnType<typeof renderScreen>;
type Case = {
  part: string;
  path: string;
  responses: PanelResponses;
  /** The request that fails when the screen loads its data again. */
  failing: PanelRoute;
  /** Opens the part and returns an element of it. */
  open: (screen: Screen) => Promise<HTMLElement>;
};

const success = true as const;
const tokens = {
  success,
  tokens: [
    {
      id: 7,
      name: 'Nightly updates',
      last_four: 'aaaa',
      role: 'owner' as const,
      actions: ['read' as const],
      access: null,
      created_at: MOMENT,
      expires_at: MOMENT,
      is_expired: false,
      last_used_at: null,
      last_used_ip: null,
    },
  ],
};
const account: PanelResponses = {
  'GET /panel/account/second-factors': secondFactors(),
  'GET /panel/account/tokens': tokens,
  'GET /panel/sessions': {
    success,
    sessions: [
      {
        id: 1,
        current: true,
        user_agent: 'Firefox/140 Linux',
        created_at: MOMENT,
        expires_at: MOMENT,
        ip: null,
      },
    ],
  },
  'POST /panel/account/totp': {
    success,
    totp: { uri: 'otpauth://totp/Steward:olive?secret=ABC', secret: 'ABC' },
  },
};
const ONE = { id: 1, name: 'one.example.com' };
const runPreview = {
  site_ids: [1],
  sites: [ONE],
  skipped: { count: 0, sites: [] },
  not_found: 0,
};
const READ_ONLY = 'This site does not allow file changes.';
const updateDialog: PanelResponses = {
  'GET /panel/sites': sites([siteItem(ONE)]),
  'GET /panel/tags': NO_TAGS,
  'POST /panel/sites/update-preview': updatePreview([offeredItem({ site_ids: [1] })]),
  'POST /panel/sites/preflight': {
    success,
    preflight: {
      groups: [
        {
          reason: 'file_changes_disabled',
          message: READ_ONLY,
          is_certain: true,
          site_ids: [1],
          partial_site_ids: [],
          sites: [{ ...ONE, error: READ_ONLY, items: [] }],
        },
      ],
      warnings: [],
      certain_site_ids: [1],
      without_backup: { count: 0, sites: [] },
      unchecked: { count: 0, sites: [] },
      checked: 1,
      not_found: 0,
    },
  },
};

async function openUpdateDialog({ user, click }: Screen) {
  await user.click(await screen.findByLabelText('Select the loaded site'));
  await screen.findByRole('button', { name: 'Update 1 site' });
  await click('Update 1 site');
}

const CASES: Case[] = [
  {
    part: 'the dialog that sets up an authenticator app',
    path: '/account',
    responses: account,
    failing: 'GET /panel/account/second-factors',
    open: async ({ click }) => {
      await click('Set up app');
      return screen.findByRole('dialog', { name: 'Set up an authenticator app' });
    },
  },
  {
    part: 'the question before a token is revoked',
    path: '/account',
    responses: account,
    failing: 'GET /panel/account/tokens',
    open: async ({ click }) => {
      await click('Revoke Nightly updates');
      return screen.findByRole('dialog');
    },
  },
  {
    part: 'the active sessions',
    path: '/account',
    responses: account,
    failing: 'GET /panel/sessions',
    open: () => screen.findByText('Firefox on Linux (this session)'),
  },
  {
    part: 'the e-mail settings',
    path: '/notifications',
    responses: {
      'GET /panel/account/notifications': {
        success,
        settings: { mode: 'off', event_types: [...NOTIFICATION_EVENT_TYPES] },
        available_event_types: [...NOTIFICATION_EVENT_TYPES],
        smtp_configured: true,
      },
      'GET /panel/notification-deliveries': { success, deliveries: [], next_cursor: null },
      'GET /panel/mail': {
        success,
        mail: {
          configured: true,
          server: 'smtp.example.com:587',
          sender: 'Steward <steward@example.com>',
          links_start_with: 'https://panel.example.com',
          last_sent: null,
          last_failure: null,
        },
      },
    },
    failing: 'GET /panel/account/notifications',
    open: () => screen.findByRole('radio', { name: 'One e-mail for each event' }),
  },
  {
    part: 'the sites that an owner grants',
    path: '/users?user=1',
    responses: {
      'GET /panel/users': users(),
      'GET /panel/settings': panelSettings(),
      'GET /panel/users/:id/access': {
        success,
        access: { sites: [], licenses: [], tags: [], clients: [] },
      },
    },
    failing: 'GET /panel/users/:id/access',
    open: () => screen.findByRole('button', { name: 'Grant site access' }),
  },
  {
    part: 'the recent runs',
    path: '/',
    responses: {
      'GET /panel/overview': overviewOfOne(),
      'GET /panel/runs': { success, runs: [summaryOf(runOf([task()]))] },
    },
    failing: 'GET /panel/runs',
    open: () => screen.findByText('Update of shop.example.com'),
  },
  {
    part: 'the choice of updates',
    path: '/sites',
    responses: updateDialog,
    failing: 'POST /panel/sites/update-preview',
    open: async (view) => {
      await openUpdateDialog(view);
      return screen.findByRole('checkbox', { name: 'Shop' });
    },
  },
  {
    part: 'the choice of sites that would fail',
    path: '/sites',
    responses: updateDialog,
    failing: 'POST /panel/sites/preflight',
    open: async (view) => {
      await openUpdateDialog(view);
      return screen.findByRole('checkbox', { name: 'Leave out 1 site that would fail' });
    },
  },
  {
    part: 'the dialog that restores',
    path: `/software/item?type=plugin&slug=${encodeURIComponent(SHOP)}`,
    responses: {
      'GET /panel/software/item': softwareDetails(),
      'GET /panel/sites/ids': siteIds(1),
      'POST /panel/sites/restore-preview': {
        success,
        preview: {
          ...runPreview,
          versions: [{ version: '5.2', current_versions: ['5.3'], site_ids: [1] }],
        },
      },
    },
    failing: 'POST /panel/sites/restore-preview',
    open: async ({ click }) => {
      await click('Restore previous version');
      return screen.findByRole('button', { name: 'Restore on 1 site' });
    },
  },
  {
    part: 'the dialog that updates the Steward plugin',
    path: '/',
    responses: {
      'GET /panel/overview': overview({
        sites: { ...overviewOfOne().overview.sites, total: 40 },
        older_steward_plugin: { sites: 1, shipped_version: '1.4.0' },
      }),
      'GET /panel/sites/ids': siteIds(1),
      'POST /panel/sites/self-update-preview': { success, preview: runPreview },
    },
    failing: 'POST /panel/sites/self-update-preview',
    open: async ({ click }) => {
      await screen.findByRole('button', { name: 'Ask 1 site to update' });
      await click('Ask 1 site to update');
      return screen.findByRole('button', { name: 'Update on 1 site' });
    },
  },
  {
    part: 'the effect of a site limit',
    path: '/licenses/1',
    responses: {
      'GET /api/v1/services': { success, services: [] },
      'GET /panel/licenses/:id': licenseDetails({ site_limit: 5, sites_remaining: 3 }),
      'GET /panel/licenses/:id/limit-preview': ({ query }) => limitPreview(query.site_limit, 2),
    },
    failing: 'GET /panel/licenses/:id/limit-preview',
    open: async ({ click }) => {
      await click('Change limit');
      return screen.findByText(/3 more can be added\./);
    },
  },
  {
    part: 'the number of sites of a schedule',
    path: '/schedules',
    responses: {
      'GET /panel/schedules': schedules([]),
      'GET /panel/sites/ids': siteIds(1),
    },
    failing: 'GET /panel/sites/ids',
    open: async ({ click }) => {
      await click('Create schedule');
      return screen.findByText(/^1 site matches/);
    },
  },
];

async function reload() {
  await queryClient.refetchQueries();
  // The query client informs the screens with a timer of 0 ms, which runs before this one.
  await new Promise((resolve) => setTimeout(resolve));
}

describe('a screen that cannot load its data again', () => {
  it.each(CASES)('keeps $part', async ({ path, responses, failing, open }) => {
    const view = renderScreen(path, { responses });
    const element = await open(view);
    const loads = view.panel.requests(failing).length;
    view.panel.setResponses({ [failing]: errorResponse('rate_limited') });
    await act(reload);
    expect(view.panel.requests(failing).length).toBeGreaterThan(loads);
    expect(element.isConnected).toBe(true);
  });
});
