import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { blockedReason } from '../../../test/blocked-reason.ts';
import type { PanelResponses } from '../../../test/fake-panel.ts';
import { licenseSummary, licenses, MOMENT } from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';

const LATER = '2031-05-02T10:00:00.000Z';
const url = (id: number) => `https://panel.example.com/api/v1/plugin/STWE-CODE00${id}/steward.zip`;

const newCodes = (count: number) => ({
  success: true as const,
  enrolment_codes: Array.from({ length: count }, (_, index) => ({
    ...{ id: index + 1, code: `STWE-CODE00${index + 1}`, plugin_url: url(index + 1) },
    expires_at: LATER,
  })),
});
const storedCode = (id: number, status: 'open' | 'used' | 'expired', siteUrl?: string) => ({
  ...{ id, status, code_last_six: `CODE0${id}`, created_at: MOMENT, expires_at: LATER },
  used_at: siteUrl ? MOMENT : null,
  site: siteUrl ? { id: 40 + id, url: siteUrl } : null,
});

function openPage(responses: PanelResponses = {}) {
  return renderScreen('/connect', {
    responses: {
      'GET /panel/licenses': licenses(licenseSummary({ sites_remaining: 2 })),
      'POST /panel/licenses/:id/enrolment-codes': ({ body }) =>
        newCodes((body as { count: number }).count),
      'GET /panel/licenses/:id/enrolment-codes': {
        success: true,
        enrolment_codes: [
          storedCode(3, 'open'),
          storedCode(2, 'used', 'https://other.example/'),
          storedCode(1, 'used', 'https://SHOP.example/'),
        ],
      },
      ...responses,
    },
  });
}

describe('the page "Connect many sites"', () => {
  it('creates a code per address, and shows which site has connected', async () => {
    const { user, panel } = openPage();
    const field = await screen.findByLabelText('Addresses of the sites');
    await user.click(field);
    await user.paste(
      'Name,Url\nShop,https://shop.example\nBlog,https://blog.example\nsoon\nwiki.example/de',
    );
    screen.getByText('3 addresses found.');
    screen.getByText('1 line has no address: soon');
    screen.getByText(/^The license has 2 free seats\./);
    await user.click(screen.getByRole('button', { name: 'Create 3 codes' }));
    const commands = await screen.findByLabelText<HTMLTextAreaElement>(
      'WP-CLI commands, one per site',
    );
    expect(commands.value.split('\n')).toEqual([
      '# https://shop.example',
      `wp plugin install '${url(1)}' --activate`,
      '# https://blog.example',
      `wp plugin install '${url(2)}' --activate`,
      '# wiki.example/de',
      `wp plugin install '${url(3)}' --activate`,
    ]);
    await screen.findByText('2 of 3 sites connected');
    const rows = screen
      .getAllByRole('row')
      .slice(1)
      .map((row) => within(row));
    expect(rows[0]?.getByRole('link', { name: 'Connected' }).getAttribute('href')).toBe(
      '/sites/41',
    );
    rows[1]?.getByText(/Connected as/);
    rows[1]?.getByRole('link', { name: 'other.example' });
    rows[2]?.getByText('Waiting');
    const download = rows[2]?.getByRole('link', { name: 'Download plugin for wiki.example/de' });
    expect(download?.getAttribute('href')).toBe('/api/v1/plugin/STWE-CODE003/steward.zip');
    expect(panel.requests('POST /panel/licenses/:id/enrolment-codes')).toHaveLength(1);
    await expectAccessible('connect many sites');
  });

  it('says why no code can be created', async () => {
    const { user } = openPage();
    const button = await screen.findByRole('button', { name: 'Create codes' });
    expect(blockedReason(button)).toBe('Enter the address of at least one site.');
    await user.click(screen.getByLabelText('Addresses of the sites'));
    await user.paste(Array.from({ length: 101 }, (_, n) => `s${n}.example`).join('\n'));
    expect(blockedReason(screen.getByRole('button', { name: 'Create 101 codes' }))).toMatch(
      /^Enter at most 100 addresses at once/,
    );
  });
});
