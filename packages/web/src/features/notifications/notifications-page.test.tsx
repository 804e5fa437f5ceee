import {
  type MailStatus,
  NOTIFICATION_EVENT_TYPES,
  type NotificationChannel,
  type NotificationDelivery,
} from '@steward/contract';
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../../../test/axe.ts';
import { errorResponse } from '../../../test/fake-panel.ts';
import { licenses, MOMENT, overview } from '../../../test/panel-fixtures.ts';
import { expectDialogClosed, findDialog, renderScreen } from '../../../test/render-screen.tsx';

const success = true as const;

const channel = (overrides: Partial<NotificationChannel> = {}): NotificationChannel => ({
  id: 1,
  kind: 'webhook',
  name: 'Ops',
  host: 'hooks.example.com',
  event_types: [...NOTIFICATION_EVENT_TYPES],
  enabled: true,
  disabled_at: null,
  disabled_reason: null,
  last_delivery: null,
  ...overrides,
});

const delivery = (overrides: Partial<NotificationDelivery> = {}): NotificationDelivery => ({
  id: 5,
  type: 'site.down',
  subject: 'Site down: Shop',
  recipient: 'Ops',
  channel_id: 1,
  kind: 'webhook',
  status: 'failed',
  attempts: 10,
  http_status: 500,
  error: 'hooks.example.com responded with status 500.',
  created_at: MOMENT,
  last_attempt_at: MOMENT,
  next_attempt_at: null,
  delivered_at: null,
  ...overrides,
});

const channels = (...list: NotificationChannel[]) => ({
  success,
  channels: list,
  smtp_configured: true,
  email_users: 0,
});

const email = (overrides: object = {}) => ({
  success,
  settings: { mode: 'off' as const, event_types: [...NOTIFICATION_EVENT_TYPES] },
  available_event_types: [...NOTIFICATION_EVENT_TYPES],
  smtp_configured: true,
  ...overrides,
});

const NO_DELIVERIES = { success, deliveries: [], next_cursor: null };

const NO_MAIL: MailStatus = {
  configured: true,
  server: 'smtp.example.com:587',
  sender: 'Steward <steward@example.com>',
  links_start_with: 'https://panel.example.com',
  last_sent: null,
  last_failure: null,
};
const mail = (overrides: Partial<MailStatus> = {}) => ({
  success,
  mail: { ...NO_MAIL, ...overrides },
});

const OWNER = {
  'GET /panel/mail': mail(),
  'GET /panel/account/notifications': email(),
  'GET /panel/notification-channels': channels(),
  'GET /panel/notification-deliveries': NO_DELIVERIES,
};

describe('NotificationsPage', () => {
  it('adds a webhook and shows its secret, after a refused URL', async () => {
    const { user, panel, click, fill, address } = renderScreen('/notifications', {
      responses: {
        ...OWNER,
        'POST /panel/notification-channels': ({ body }) => {
          const { url } = body as { url: string };
          if (!url.startsWith('https://hooks')) return errorResponse('invalid_channel_url');
          return { success, channel: channel(), signing_secret: 'whsec_abc' };
        },
      },
    });
    await screen.findByRole('heading', { name: 'No channels yet' });
    await screen.findByRole('heading', { name: 'No messages yet' });
    await click('Add channel');
    expect(address()).toBe('/notifications?new=1');
    let dialog = within(await findDialog('Add channel'));
    await user.click(dialog.getByRole('radio', { name: 'Webhook' }));
    await fill(dialog.getByLabelText('Name'), 'Ops');
    await fill(dialog.getByLabelText('URL'), 'https://user:x@hooks.example.com');
    await user.click(dialog.getByRole('checkbox', { name: 'Site up again' }));
    await user.click(dialog.getByRole('button', { name: 'Add channel' }));
    await dialog.findByText(/contain no user name or password/);
    await fill(dialog.getByLabelText('URL'), 'https://hooks.example.com/x');
    panel.setResponses({ 'GET /panel/notification-channels': channels(channel()) });
    await user.click(dialog.getByRole('button', { name: 'Add channel' }));
    dialog = within(await findDialog('Ops is added'));
    expect(dialog.getByLabelText<HTMLInputElement>('Signing secret').value).toBe('whsec_abc');
    await user.click(dialog.getByRole('button', { name: 'Done' }));
    await expectDialogClosed();
    await screen.findByText('Webhook, hooks.example.com');
    expect(panel.requests('POST /panel/notification-channels').at(-1)?.body).toEqual({
      kind: 'webhook',
      name: 'Ops',
      url: 'https://hooks.example.com/x',
      event_types: NOTIFICATION_EVENT_TYPES.filter((type) => type !== 'site.up'),
    });
    await expectAccessible('notifications');
  });

  it('shows the real result of a test, and retries a failed delivery', async () => {
    const { user, panel } = renderScreen('/notifications', {
      responses: {
        ...OWNER,
        'GET /panel/notification-channels': channels(channel()),
        'GET /panel/notification-deliveries': {
          success,
          deliveries: [delivery()],
          next_cursor: null,
        },
        'POST /panel/notification-channels/:id/test': {
          success,
          delivery: delivery({ type: 'test' }),
        },
        'POST /panel/notification-deliveries/:id/retry': {
          success,
          delivery: delivery({ status: 'delivered', error: null }),
        },
      },
    });
    const log = within(await screen.findByRole('table', { name: 'Delivery log' }));
    log.getByText('10 attempts');
    log.getByText('HTTP 500');
    await user.click(await screen.findByRole('button', { name: 'Actions for Ops' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Send test' }));
    await screen.findByText(/test message to Ops was not delivered. hooks.example.com responded/);
    await user.click(log.getByRole('button', { name: 'Retry now: Site down: Shop' }));
    await screen.findByText('The message to Ops was delivered.');
    expect(panel.requests('POST /panel/notification-deliveries/:id/retry')).toMatchObject([
      { path: '/panel/notification-deliveries/5/retry' },
    ]);
  });

  it('asks before it deletes a channel, and reveals the secret of a webhook', async () => {
    const { user, panel } = renderScreen('/notifications', {
      responses: {
        ...OWNER,
        'GET /panel/notification-channels': channels(channel()),
        'POST /panel/notification-channels/:id/reveal-secret': {
          success,
          signing_secret: 'whsec_abc',
        },
        'DELETE /panel/notification-channels/:id': { success },
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Actions for Ops' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Show signing secret' }));
    let dialog = within(await findDialog('Signing secret'));
    await user.click(dialog.getByRole('button', { name: 'Show signing secret' }));
    expect((await dialog.findByLabelText<HTMLInputElement>('Signing secret')).value).toBe(
      'whsec_abc',
    );
    await user.click(dialog.getByRole('button', { name: 'Done' }));
    await expectDialogClosed();
    await user.click(screen.getByRole('button', { name: 'Actions for Ops' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Delete channel' }));
    dialog = within(await findDialog('Delete Ops'));
    panel.setResponses({ 'GET /panel/notification-channels': channels() });
    await user.click(dialog.getByRole('button', { name: 'Delete channel' }));
    await screen.findByRole('heading', { name: 'No channels yet' });
  });

  it('shows whether mail works, and sends a test to the owner', async () => {
    const error = 'The mail server refused the login: 535 no. Check SMTP_URL.';
    const sent = { at: MOMENT, recipient: 'anna@example.com' };
    const testEmail = {
      type: 'test' as const,
      kind: 'email' as const,
      recipient: 'olive@x.example',
    };
    const { panel, click } = renderScreen('/notifications', {
      responses: {
        ...OWNER,
        'POST /panel/account/notifications/test': {
          success,
          delivery: delivery({ ...testEmail, error }),
        },
      },
    });
    const section = async () =>
      within(
        (await screen.findByRole('heading', { name: 'Mail server' })).parentElement as HTMLElement,
      );
    await (await section()).findByText('Not tested');
    (await section()).getByText('smtp.example.com:587');
    (await section()).getByText('https://panel.example.com');
    expect((await section()).queryByText(/^This address works only/)).toBeNull();
    panel.setResponses({ 'GET /panel/mail': mail({ last_failure: { ...sent, error } }) });
    await click('Send test e-mail');
    await screen.findByText(
      /The test message to olive@x.example was not delivered. The mail server/,
    );
    await (await section()).findByText('Failing');
    (await section()).getByText(error);
    (await section()).getByText(/Then send a test e-mail/);
    panel.setResponses({
      'GET /panel/mail': mail({ last_sent: sent, links_start_with: 'http://localhost:8080' }),
      'POST /panel/account/notifications/test': {
        success,
        delivery: delivery({ ...testEmail, status: 'delivered', error: null }),
      },
    });
    await click('Send test e-mail');
    await screen.findByText('The test message to olive@x.example was delivered.');
    await (await section()).findByText('Working');
    (await section()).getByText('to anna@example.com');
    (await section()).getByText(/^This address works only on the server/);
    await expectAccessible('notifications with a mail server');
  });

  it('says how to configure mail', async () => {
    const missing = { configured: false, server: null, sender: null };
    renderScreen('/notifications', {
      responses: {
        ...OWNER,
        'GET /panel/mail': mail(missing),
        'GET /panel/account/notifications': email({ smtp_configured: false }),
      },
    });
    await screen.findByText('Not configured');
    screen.getByText(/Set SMTP_URL and SMTP_FROM on the server of the panel/);
    expect(screen.queryByRole('button', { name: 'Send test e-mail' })).toBeNull();
  });

  it('lets viewers choose their e-mails, and shows no channels', async () => {
    const { user, panel, click } = renderScreen('/notifications', {
      role: 'viewer',
      responses: {
        'GET /panel/account/notifications': email({
          settings: { mode: 'off', event_types: ['site.down', 'site.up'] },
          available_event_types: ['run.finished_with_failures', 'site.down', 'site.up'],
        }),
        'PUT /panel/account/notifications': ({ body }) => email({ settings: body as object }),
      },
    });
    await user.click(await screen.findByRole('radio', { name: 'One e-mail a day' }));
    await user.click(screen.getByRole('checkbox', { name: 'Site up again' }));
    await click('Save changes');
    await screen.findByText('Your e-mail settings are saved.');
    expect(panel.requests('PUT /panel/account/notifications')[0]?.body).toEqual({
      mode: 'daily',
      event_types: ['site.down'],
    });
    expect(screen.queryByRole('heading', { name: 'Channels' })).toBeNull();
    expect(panel.requests('GET /panel/notification-channels')).toEqual([]);
  });
});

describe('the warnings for owners', () => {
  it('name a channel that was turned off, and a missing mail server', async () => {
    const gone = { enabled: false, disabled_at: MOMENT, disabled_reason: 'gone' as const };
    const { click } = renderScreen('/', {
      responses: {
        ...OWNER,
        'GET /panel/overview': overview(),
        'GET /panel/licenses': licenses(),
        'GET /panel/notification-channels': {
          ...channels(channel(gone)),
          smtp_configured: false,
          email_users: 2,
        },
      },
    });
    await screen.findByText('The notification channel Ops was turned off');
    screen.getByText(/2 users want e-mail, but e-mail is not configured/);
    await expectAccessible('overview with warnings');
    await screen.findAllByRole('link', { name: 'Open notifications' });
    await click('Notifications', 'link');
    await screen.findByText('Off (receiver gone)');
  });
});
