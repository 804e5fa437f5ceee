import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { errorResponse, type PanelResponses } from '../../../test/fake-panel.ts';
import { limitPreview } from '../../../test/limit-preview.ts';
import {
  FORMS,
  licenseDetails,
  licenseSummary,
  MOMENT,
  panelSettings,
  SERVICES,
  secondFactors,
  siteDetails,
  userSummary,
  users,
} from '../../../test/panel-fixtures.ts';
import type { PanelRoute } from '../../../test/panel-routes.ts';
import { findDialog, renderScreen } from '../../../test/render-screen.tsx';
import { responsesFor } from '../../../test/site-screen.ts';

type Screen = ReturnType<typeof renderScreen>;

const LICENSE = { success: true as const, license: licenseSummary() };
const ACCESS = {
  success: true as const,
  access: {
    sites: [
      {
        site_id: 7,
        site_url: 'https://shop.example.com',
        site_name: 'shop.example.com',
        granted_at: MOMENT,
      },
    ],
    licenses: [],
    tags: [],
    clients: [],
  },
};
const TOKEN = {
  ...{ id: 5, name: 'deploy', last_four: 'aaaa', role: 'manager' as const },
  ...{ actions: ['read' as const], access: null, is_expired: false },
  ...{ created_at: MOMENT, expires_at: MOMENT, last_used_at: null, last_used_ip: null },
};
const SITE_OF_LICENSE = {
  ...{ site_id: 7, site_url: 'https://shop.example.com', site_name: 'shop.example.com' },
  status: 'active' as const,
  ...{ counted: true, key: 'site' as const, cms_version: '6.8.2', php_version: '8.3' },
  ...{ plugin_version: '0.1.0', activated_at: MOMENT, last_check_at: MOMENT },
};
const licensePage = (overrides: Parameters<typeof licenseDetails>[0] = {}): PanelResponses => ({
  'GET /api/v1/services': SERVICES,
  'GET /panel/licenses/:id': licenseDetails(overrides),
  'GET /panel/licenses/:id/limit-preview': ({ query }) => limitPreview(query.site_limit, 2),
});
const userPage: PanelResponses = {
  'GET /panel/users': users(userSummary(), userSummary({ id: 2, name: 'Sam', role: 'manager' })),
  'GET /panel/settings': panelSettings(),
  'GET /panel/users/:id/access': ACCESS,
  'GET /panel/users/:id/tokens': { success: true, tokens: [TOKEN] },
};

type Case = {
  path: string;
  responses: PanelResponses;
  route: PanelRoute;
  /** The response after the confirmation. */
  success: unknown;
  /** Enters the input and submits it. */
  act: (view: Screen) => Promise<void>;
  body: unknown;
  /** What the screen still contains when the user cancels the confirmation. */
  keeps?: () => unknown;
};

async function submit({ user }: Screen, name: string) {
  const dialogs = await screen.findAllByRole('dialog');
  const dialog = within(dialogs.at(-1) as HTMLElement);
  await user.click(dialog.getByRole('button', { name }));
}

const CASES: Record<string, Case> = {
  'suspending a license': {
    ...{ path: '/licenses/1', responses: licensePage(), success: LICENSE },
    route: 'POST /panel/licenses/:id/suspend',
    body: undefined,
    async act(view) {
      await view.click('Suspend license');
      await submit(view, 'Suspend license');
    },
  },
  'resuming a license': {
    ...{ path: '/licenses/1', responses: licensePage({ status: 'suspended', valid: false }) },
    ...{ success: LICENSE, route: 'POST /panel/licenses/:id/resume' },
    body: undefined,
    async act(view) {
      await view.click('Resume license');
      await submit(view, 'Resume license');
    },
  },
  'changing the expiry date': {
    ...{ path: '/licenses/1', responses: licensePage({ expires_at: '2199-01-31T22:59:59.000Z' }) },
    ...{ success: LICENSE, route: 'POST /panel/licenses/:id/extend' },
    body: { expires_at: null },
    async act(view) {
      await view.click('Change expiry');
      await view.user.click(await screen.findByLabelText('Never expires'));
      await submit(view, 'Change expiry');
    },
    keeps: () => expect(screen.getByLabelText('Never expires')).toHaveProperty('checked', true),
  },
  'changing the site limit': {
    ...{ path: '/licenses/1', responses: licensePage(), success: LICENSE },
    route: 'POST /panel/licenses/:id/set-limit',
    body: { site_limit: 9 },
    async act(view) {
      await view.click('Change limit');
      await view.fill(await screen.findByLabelText('Site limit'), '9');
      await submit(view, 'Change limit');
    },
    keeps: () => expect(screen.getByLabelText('Site limit')).toHaveProperty('value', '9'),
  },
  'disconnecting a site': {
    path: '/licenses/1',
    responses: licensePage({ activations: [SITE_OF_LICENSE], activations_total: 1 }),
    route: 'POST /panel/licenses/:id/sites/:site_id/release',
    success: {
      success: true,
      license: {
        ...{ status: 'active', valid: true, site_limit: 50, sites_used: 0, sites_remaining: 50 },
        ...{ plan: { name: 'Agency', slug: 'agency', services: ['remote'] }, expires_at: null },
      },
      activation: {
        ...{ site_id: 7, site_url: 'https://shop.example.com', status: 'deactivated' },
        ...{ counted: true, activated_at: MOMENT, last_check_at: MOMENT },
      },
    },
    body: undefined,
    async act(view) {
      await view.click('Disconnect site shop.example.com');
      await submit(view, 'Disconnect site');
    },
  },
  'revoking access': {
    ...{ path: '/users?user=2', responses: userPage, success: ACCESS },
    route: 'POST /panel/users/:id/access/revoke',
    body: { site_ids: [7] },
    act: (view) => view.click('Revoke access: shop.example.com'),
  },
  "revoking another user's token": {
    ...{ path: '/users?user=2', responses: userPage, success: { success: true } },
    route: 'DELETE /panel/users/:id/tokens/:token_id',
    body: undefined,
    async act(view) {
      await view.click(/^Revoke .*deploy/);
      await submit(view, 'Revoke token');
    },
  },
  'adding a tag that gives access': {
    path: '/sites/1',
    responses: responsesFor(siteDetails()),
    route: 'POST /panel/sites/tags',
    success: { success: true, changed: 1, refused: [] },
    body: { site_ids: [1], add: ['shop'], remove: [] },
    act: async ({ user }) =>
      user.type(await screen.findByRole('combobox', { name: 'Tags' }), 'shop{Enter}'),
  },
  'deleting one more plugin': {
    path: '/sites/1',
    responses: responsesFor(siteDetails()),
    route: 'POST /remote/plugin-action',
    success: { success: true, site_id: 1, action: 'delete', plugin: FORMS },
    body: { site_id: 1, action: 'delete', plugin: FORMS },
    async act(view) {
      await view.click(`More actions for ${FORMS}`);
      await view.user.click(await screen.findByRole('menuitem', { name: 'Delete plugin…' }));
      await view.fill(await screen.findByLabelText(`Type ${FORMS} to confirm`), FORMS);
      await submit(view, 'Delete plugin');
    },
    keeps: () =>
      expect(screen.getByLabelText(`Type ${FORMS} to confirm`)).toHaveProperty('value', FORMS),
  },
};

describe('a change that needs a confirmation', () => {
  it.each(Object.entries(CASES))(
    'asks for it and then repeats the request: %s',
    async (_name, { path, responses, route, success, act, body, keeps }) => {
      let isConfirmed = false;
      const view = renderScreen(path, {
        responses: {
          ...responses,
          'GET /panel/account/second-factors': secondFactors(),
          'POST /auth/confirm': () => {
            isConfirmed = true;
            return { success: true };
          },
          [route]: () => (isConfirmed ? success : errorResponse('confirmation_required')),
        },
      });
      const bodies = () => view.panel.requests(route).map((request) => request.body);
      await act(view);
      let confirmation = within(await findDialog('Confirm your identity'));
      if (keeps) {
        await view.user.click(confirmation.getByRole('button', { name: 'Cancel' }));
        await waitFor(() =>
          expect(screen.queryByRole('dialog', { name: 'Confirm your identity' })).toBeNull(),
        );
        await screen.findByText(/Confirm your identity with your password/);
        keeps();
        await view.user.click(
          within(await findDialog())
            .getAllByRole('button')
            .at(-1) as HTMLElement,
        );
        confirmation = within(await findDialog('Confirm your identity'));
      }
      await view.fill(await confirmation.findByLabelText('Your password'), 'correct horse battery');
      await view.user.click(confirmation.getByRole('button', { name: 'Confirm' }));
      const attempts = keeps ? 3 : 2;
      await waitFor(() => expect(bodies()).toEqual(Array.from({ length: attempts }, () => body)));
      await waitFor(() =>
        expect(screen.queryByRole('dialog', { name: 'Confirm your identity' })).toBeNull(),
      );
      expect(screen.queryByText(/Confirm your identity with your password/)).toBeNull();
    },
  );
});
