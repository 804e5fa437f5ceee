import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../../test/axe.ts';
import { blockedReason } from '../../../../test/blocked-reason.ts';
import {
  errorResponse,
  type PanelRequest,
  type PanelResponses,
} from '../../../../test/fake-panel.ts';
import { NO_TAGS, siteItem, sites } from '../../../../test/panel-fixtures.ts';
import { findDialog, renderScreen } from '../../../../test/render-screen.tsx';
import { rolloutOf, rolloutSite, SHOP_5_3 } from '../../../../test/rollout-fixtures.ts';
import { offeredItem, updatePreview } from '../../../../test/software-fixtures.ts';

const started = rolloutOf([1, 2, 3].map((id) => rolloutSite({ site_id: id, ring: id - 1 })));

/** One site in each ring. */
function previewRings({ body }: PanelRequest) {
  const { rings } = body as { rings: { name: string }[] };
  return { success: true as const, rings: rings.map((ring) => ({ ...ring, sites: 1 })) };
}

/** Selects three sites, opens the update dialog and chooses "In rings". */
async function openPlan(
  items = [offeredItem({ site_ids: [1, 2, 3] })],
  responses: PanelResponses = {},
) {
  const rendered = renderScreen('/sites', {
    responses: {
      'GET /panel/sites': sites(
        ['one', 'two', 'three'].map((name, index) =>
          siteItem({ id: index + 1, name: `${name}.example.com` }),
        ),
      ),
      'GET /panel/tags': NO_TAGS,
      'POST /panel/sites/update-preview': updatePreview(items),
      'POST /panel/rollouts/preview': previewRings,
      'POST /panel/rollouts': started,
      'GET /panel/rollouts/:id': started,
      ...responses,
    },
  });
  const { user, click, panel, address, fill } = rendered;
  await user.click(await screen.findByLabelText('Select the 3 loaded sites'));
  await click('Update 3 sites');
  const dialog = within(await findDialog('Update sites'));
  await user.click(await dialog.findByRole('radio', { name: 'In rings' }));
  await dialog.findAllByText('1 site');
  return {
    user,
    panel,
    address,
    dialog,
    fill,
    field: (name: string) => dialog.getByLabelText(name),
  };
}

describe('the choice between all sites at once and rings', () => {
  it('shows the default rings with their sites, and starts the rollout', async () => {
    const { user, panel, address, dialog } = await openPlan();
    const rings = within(dialog.getByRole('list', { name: 'Rings' })).getAllByRole('listitem');
    expect(rings).toHaveLength(3);
    expect(rings[2]?.textContent).toBe('All other sites1 site');
    dialog.getByText(
      /If an update causes trouble on at least 1 site of its first ring, or on more than 2 % of its sites in a later ring, the rollout halts and Steward quarantines that version\./,
    );
    await expectAccessible('the plan of a rollout');
    await user.click(dialog.getByRole('button', { name: 'Start rollout to 3 sites' }));
    await waitFor(() => expect(address()).toBe('/rollouts/7'));
    expect(panel.requests('POST /panel/rollouts')[0]?.body).toEqual({
      site_ids: [1, 2, 3],
      items: [SHOP_5_3],
      rings: [
        { name: 'Canary', tag: 'canary' },
        { name: '10 %', percent: 10 },
        { name: 'All other sites' },
      ],
      settings: {
        soak_minutes: 60,
        first_ring_max_troubled: 0,
        later_max_troubled_percent: 2,
        proof_percent: 0,
      },
    });
  });

  it('says how to fill a ring without sites, and offers all tags beside the chosen one', async () => {
    const { user, dialog, field } = await openPlan(undefined, {
      'GET /panel/tags': {
        success: true,
        tags: ['beta', 'shop'].map((name) => ({ name, sites: 1 })),
      },
      'POST /panel/rollouts/preview': ({ body }: PanelRequest) => {
        const { rings } = body as { rings: { name: string; tag?: string }[] };
        const sitesOf = ({ tag }: { tag?: string }) => (tag === 'canary' ? 0 : 1);
        return {
          success: true as const,
          rings: rings.map((ring) => ({ ...ring, sites: sitesOf(ring) })),
        };
      },
    });
    await dialog.findByText(/^None of these sites has the tag “canary”\. Add the tag on the page/);
    await user.click(field('Ring 1: tag'));
    await user.click(await screen.findByRole('option', { name: 'beta' }));
    expect(field('Ring 1: tag')).toHaveProperty('value', 'beta');
    await waitFor(() => expect(dialog.queryByText(/^None of these sites/)).toBeNull());
    await user.type(field('Ring 1: tag'), 'x');
    await waitFor(() => expect(screen.queryByRole('option', { name: 'shop' })).toBeNull());
  });

  it('lets the user change the rings, the soak time and the limits', async () => {
    const { user, panel, dialog, fill, field } = await openPlan();
    await user.click(dialog.getByRole('button', { name: 'Remove ring 1' }));
    await fill(field('Ring 1: share of the sites of this rollout'), '25');
    await user.click(dialog.getByRole('button', { name: 'Add ring' }));
    expect(dialog.getByText(/Fill in every ring/)).toBeTruthy();
    const start = () => dialog.getByRole<HTMLButtonElement>('button', { name: /^Start rollout/ });
    expect(blockedReason(start())).not.toBeNull();
    await user.selectOptions(field('Ring 2: choose sites by'), 'Tag');
    await fill(field('Ring 2: tag'), 'shops');
    await fill(field('Soak time'), '2');
    await user.selectOptions(field('Unit of the soak time'), 'days');
    await fill(field('Later rings: halt if a larger share of sites than this is troubled'), '5');
    await fill(field('Share of sites in each ring on which an update must succeed'), '20');
    await user.click(start());
    await waitFor(() => expect(panel.requests('POST /panel/rollouts')).toHaveLength(1));
    expect(panel.requests('POST /panel/rollouts')[0]?.body).toMatchObject({
      rings: [
        { name: '25 %', percent: 25 },
        { name: 'Shops', tag: 'shops' },
        { name: 'All other sites' },
      ],
      settings: { soak_minutes: 2880, later_max_troubled_percent: 5, proof_percent: 20 },
    });
  });

  it('starts nothing while the plan is incomplete, not even if the form is submitted', async () => {
    const { user, panel, dialog } = await openPlan(undefined, {
      'POST /remote/update': errorResponse('held_version'),
    });
    await user.click(dialog.getByRole('button', { name: 'Add ring' }));
    const start = dialog.getByRole<HTMLButtonElement>('button', { name: /^Start rollout/ });
    fireEvent.submit(start.form as HTMLFormElement);
    await user.click(dialog.getByRole('button', { name: 'Remove ring 3' }));
    await user.click(dialog.getByRole('button', { name: /^Start rollout/ }));
    await waitFor(() => expect(panel.requests('POST /panel/rollouts')).toHaveLength(1));
    expect(panel.requests('POST /remote/update')).toEqual([]);
  });

  it('asks for one version if sites offer several, and leaves out the other sites', async () => {
    const { user, panel, dialog } = await openPlan([
      offeredItem({ site_ids: [1, 2] }),
      offeredItem({ version: '5.2.9', site_ids: [3] }),
    ]);
    dialog.getByText(/Your sites offer several versions/);
    await user.click(dialog.getByRole('button', { name: 'Start rollout to 2 sites' }));
    await waitFor(() => expect(panel.requests('POST /panel/rollouts')).toHaveLength(1));
    expect(panel.requests('POST /panel/rollouts')[0]?.body).toMatchObject({
      site_ids: [1, 2],
      items: [SHOP_5_3],
    });
  });

  it('shows in place why a rollout cannot start', async () => {
    const error = 'Shop 5.3 is quarantined. Ask an owner to lift the quarantine.';
    const { user, dialog } = await openPlan(undefined, {
      'POST /panel/rollouts': errorResponse('held_version', { error }),
    });
    await user.click(dialog.getByRole('button', { name: 'Start rollout to 3 sites' }));
    await dialog.findByText(error);
  });
});
