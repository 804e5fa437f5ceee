import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../test/axe.ts';
import {
  auditPage,
  licenses,
  NO_TAGS,
  overviewOfOne,
  panelSettings,
  plans,
  sites,
  users,
} from '../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../test/render-screen.tsx';
import { NO_ROLLOUTS } from '../../test/rollout-fixtures.ts';
import { softwarePage } from '../../test/software-fixtures.ts';

const responses = {
  'GET /panel/overview': overviewOfOne(),
  'GET /panel/sites': sites([]),
  'GET /panel/tags': NO_TAGS,
  'GET /panel/software': softwarePage([]),
  'GET /panel/licenses': licenses(),
  'GET /panel/plans': plans(),
  'GET /panel/audit': auditPage([]),
  'GET /panel/users': users(),
  'GET /panel/rollouts': NO_ROLLOUTS,
  'GET /panel/settings': panelSettings(),
} as const;
const findHeading = (name: string) => screen.findByRole('heading', { name, level: 1 });

describe('the shortcuts', () => {
  it('open a page with g and its key', async () => {
    const { user } = renderScreen('/', { responses });
    await findHeading('Overview');
    for (const [keys, title] of [
      ['gs', 'Sites'],
      ['gc', 'Clients'],
      ['gw', 'Software'],
      ['gr', 'Runs'],
      ['gp', 'Rollouts'],
      ['gl', 'Licenses'],
      ['ga', 'Audit log'],
      ['gu', 'Users'],
      ['go', 'Overview'],
    ] as const) {
      await user.keyboard(keys);
      await findHeading(title);
    }
  });

  it('do nothing in a field, in a dialog, and without g', async () => {
    const { user, address } = renderScreen('/sites', { responses });
    await findHeading('Sites');
    await user.keyboard('r');
    await user.keyboard('{Control>}g{/Control}r');
    await user.keyboard('gxr');
    await user.type(screen.getByLabelText('Search sites'), 'gr?');
    expect(screen.queryByRole('dialog')).toBeNull();
    screen.getByLabelText('Search sites').blur();
    await user.keyboard('?');
    await findDialog('Keyboard shortcuts');
    await user.keyboard('gr');
    expect(address()).toMatch(/^\/sites/);
    await user.keyboard('{Escape}');
    await expectDialogClosed();
    expect(address()).toMatch(/^\/sites/);
  });

  it('open only the pages that a viewer may open', async () => {
    const { user, address } = renderScreen('/sites', { role: 'viewer', responses });
    await findHeading('Sites');
    for (const keys of ['gl', 'ga', 'gu']) await user.keyboard(keys);
    expect(address()).toBe('/sites');
    await user.keyboard('?');
    const dialog = within(await findDialog());
    // A viewer selects no sites.
    expect(dialog.queryByText('Select the site')).toBeNull();
    const goTo = within(dialog.getByRole('region', { name: 'Go to' }));
    expect(goTo.getAllByRole('term').map(({ textContent }) => textContent)).toEqual([
      'Overview',
      'Sites',
      'Clients',
      'Software',
      'Runs',
      'Rollouts',
      'Notifications',
    ]);
  });
});

describe('the list of shortcuts', () => {
  it('opens from the palette', async () => {
    const { user } = renderScreen('/', { responses });
    await findHeading('Overview');
    await user.keyboard('{Control>}k{/Control}');
    const palette = within(await findDialog('Search everything'));
    await user.click(await palette.findByRole('button', { name: 'Show keyboard shortcuts' }));
    const dialog = within(await findDialog('Keyboard shortcuts'));
    dialog.getByText('Audit log');
    await waitFor(() => expect(screen.getAllByRole('dialog')).toHaveLength(1));
    await expectAccessible('the list of shortcuts');
  });
});
