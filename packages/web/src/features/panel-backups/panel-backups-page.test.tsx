import type { PanelBackups } from '@steward/contract';
import { screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { MOMENT } from '../../../test/panel-fixtures.ts';
import { findDialog, renderScreen } from '../../../test/render-screen.tsx';
import { queryClient } from '../../lib/query-client.ts';

const NAME = 'steward-12345678-20260601T120000Z.tar';
const backups = (overrides: Partial<PanelBackups> = {}) => ({
  success: true as const,
  backups: {
    folder: '/var/backups/steward',
    every_hours: 24,
    kept: 7,
    folder_problem: null,
    activity: 'idle' as const,
    last: null,
    files: [],
    ...overrides,
  },
});
const file = { name: NAME, bytes: 1_234_567, kind: 'scheduled' as const, created_at: MOMENT };
const last = { at: MOMENT, succeeded: true, file: NAME, bytes: 1_234_567, reason: null };
const open = (overrides: Partial<PanelBackups> = {}, others = {}) =>
  renderScreen('/backups', { responses: { 'GET /panel/backups': backups(overrides), ...others } });

describe('PanelBackupsPage', () => {
  afterEach(() => vi.restoreAllMocks());

  it('requests a backup once, and shows when it has finished', async () => {
    const { panel, click } = open({}, { 'POST /panel/backups': backups({ activity: 'queued' }) });
    await screen.findByText('None yet');
    screen.getByText(/^Every 24 hours; the newest 7/);
    await click('Back up now');
    await screen.findByText(/^Queued\. A worker starts/);
    expect(screen.getByRole('button', { name: 'Back up now' }).ariaDisabled).toBe('true');
    panel.setResponses({ 'GET /panel/backups': backups({ last, files: [file] }) });
    await click('Back up now');
    await screen.findByText('Created and read back', {}, { timeout: 5000 });
    expect(panel.requests('POST /panel/backups')).toHaveLength(1);
    const table = within(screen.getByRole('table', { name: 'Files' }));
    table.getByText('1.2 MB');
    screen.getByText(/store SECRET_KEY or secret.key in another place/);
    await expectAccessible('backups');
  });

  it('asks for a confirmation, checks the file, and then downloads it with the token', async () => {
    const submitted: Record<string, unknown>[] = [];
    vi.spyOn(HTMLFormElement.prototype, 'submit').mockImplementation(function (
      this: HTMLFormElement,
    ) {
      const action = this.getAttribute('action');
      submitted.push({ action, method: this.method, ...Object.fromEntries(new FormData(this)) });
    });
    const { user, panel, click, fill } = open(
      { last, files: [file] },
      {
        'GET /panel/backups/:name': errorResponse('confirmation_required'),
        'GET /panel/account/second-factors': {
          success: true,
          second_factors: { totp: false, backup_codes: 0, passkeys: [], required: false },
        },
        'POST /auth/confirm': { success: true },
      },
    );
    await click(`Download ${NAME}`);
    const dialog = within(await findDialog());
    await fill(await dialog.findByLabelText('Your password'), 'secret password');
    expect(submitted).toEqual([]);
    panel.setResponses({ 'GET /panel/backups/:name': { success: true } });
    await user.click(dialog.getByRole('button', { name: 'Confirm' }));
    await vi.waitFor(() =>
      expect(submitted).toEqual([
        {
          action: `/panel/backups/${NAME}/download`,
          method: 'post',
          csrf_token: expect.stringMatching(/./),
        },
      ]),
    );
    panel.setResponses({
      'GET /panel/backups/:name': errorResponse('backup_unreadable', {
        error: 'x.tar is damaged.',
      }),
    });
    await click(`Download ${NAME}`);
    await screen.findByText('x.tar is damaged.');
    expect(submitted).toHaveLength(1);
  });

  it('says what to do without a folder, after a failure, and without a worker', async () => {
    const failed = { ...last, succeeded: false, file: null, bytes: null, reason: 'Disk full.' };
    const { panel } = open({ folder: null, every_hours: null, kept: null });
    await screen.findByText('npx steward backup FILE');
    expect(screen.getByRole('button', { name: 'Back up now' }).ariaDisabled).toBe('true');
    expect(screen.queryByRole('heading', { name: 'Files' })).toBeNull();
    panel.setResponses({
      'GET /panel/backups': backups({ last: failed, activity: 'no_worker' }),
    });
    await reload();
    await screen.findByText('Disk full. Correct the cause, then back up again.');
    screen.getByText(/^No worker is creating the backup/);
    panel.setResponses({
      'GET /panel/backups': backups({
        folder_problem: 'Cannot read BACKUP_FOLDER /x. It does not exist.',
      }),
    });
    await reload();
    await screen.findByText('The backup folder cannot be read');
    await expectAccessible('backups with a problem');
  });
});

async function reload() {
  await queryClient.refetchQueries();
}
