import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { MOMENT, SHOP, siteDetails } from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';
import { responsesFor } from '../../../test/site-screen.ts';

const change = (old_version: string | null, new_version: string | null, slug = SHOP) => ({
  at: MOMENT,
  type: 'plugin' as const,
  slug,
  name: 'Shop',
  old_version,
  new_version,
});

describe('the version history of a site', () => {
  it('loads on request, page by page', async () => {
    const { click, panel } = renderScreen('/sites/1', {
      responses: {
        ...responsesFor(siteDetails()),
        'GET /panel/sites/:id/version-changes': ({ query }) => ({
          success: true as const,
          changes: query.cursor
            ? [{ ...change(null, '1.0'), at: '2026-05-01T12:00:00.000Z' }]
            : [change('2.0', null, 'old/old.php'), change('1.0', '2.0')],
          next_cursor: query.cursor ? null : 'next',
        }),
      },
    });
    await screen.findByRole('button', { name: 'Show version history' });
    await click('Show version history');
    const list = within(await screen.findByRole('list', { name: 'Version history' }));
    list.getByText('1.0 → 2.0');
    list.getByText('2.0 removed');
    await expectAccessible('version history');
    await click('Load older changes');
    await list.findByText('1.0 added');
    expect(panel.requests('GET /panel/sites/:id/version-changes')).toHaveLength(2);
  });
});
