import type { SiteBackup } from '@steward/contract';
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { siteDetails } from '../../../test/panel-fixtures.ts';
import { renderScreen } from '../../../test/render-screen.tsx';
import { responsesFor } from '../../../test/site-screen.ts';

const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();

async function open(backups: SiteBackup[] | null, backed_up_at: string | null = null) {
  renderScreen('/sites/1', { responses: responsesFor(siteDetails({ backups, backed_up_at })) });
  return within(await screen.findByRole('region', { name: 'Backup' }));
}

describe('the backups of a site', () => {
  it('shows the last full backup, and the last one of each plugin', async () => {
    const updraftplus = { plugin: 'updraftplus', name: 'UpdraftPlus' } as const;
    const section = await open(
      [
        { ...updraftplus, contains: 'all', backed_up_at: hoursAgo(30) },
        { ...updraftplus, contains: 'database', backed_up_at: hoursAgo(3) },
        { plugin: 'wpvivid', name: 'WPvivid', contains: 'all', backed_up_at: null },
        { plugin: 'jetpack', name: 'Jetpack', contains: 'all', backed_up_at: null },
      ],
      hoursAgo(30),
    );
    section.getByText(/The last full backup started/);
    expect(section.getAllByRole('term').map(({ textContent }) => textContent)).toEqual([
      'UpdraftPlus',
      'UpdraftPlus (database only)',
      'WPvivid',
      'Jetpack',
    ]);
    expect(section.getAllByRole('definition').map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/ago|yesterday/),
      '3 h ago',
      'not known',
      'not known: its backups are stored at WordPress.com',
    ]);
    await expectAccessible('backups of a site');
  });

  it.each<[string, SiteBackup[] | null, RegExp]>([
    ['has not reported', null, /Update the Steward plugin, then sync the site/],
    ['has no backup plugin', [], /finds no active backup plugin/],
    [
      'has only a part',
      [
        {
          ...{ plugin: 'backwpup', name: 'BackWPup', contains: 'files' },
          backed_up_at: hoursAgo(1),
        },
      ],
      /No completed full backup is known/,
    ],
  ])('says what to do if the site %s', async (_, backups, text) => {
    (await open(backups)).getByText(text);
  });
});
