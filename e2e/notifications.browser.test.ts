import { expectReadable } from '@steward/testkit/browser/expect-readable.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { startWebhookReceiver } from '@steward/testkit/notifications/webhook-receiver.ts';
import { describe, expect, it, onTestFinished } from 'vitest';

const panel = usePanelInBrowser();

describe('notifications', () => {
  it('an owner adds a webhook, tests it and retries; the page fits on a phone', async () => {
    const receiver = await startWebhookReceiver();
    onTestFinished(() => receiver.stop());
    const visitor = await panel.open(panel.owner, '/notifications');
    const { page } = visitor;
    await page.getByRole('button', { name: 'Add channel' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add channel' });
    await dialog.getByRole('radio', { name: 'Webhook' }).check();
    await dialog.getByLabel('Name').fill('Ops');
    await dialog.getByLabel('URL').fill(`${receiver.url}/hook`);
    await dialog.getByRole('button', { name: 'Add channel' }).click();
    const added = page.getByRole('dialog', { name: 'Ops is added' });
    expect(await added.getByLabel('Signing secret').inputValue()).toMatch(/^whsec_/);
    await added.getByRole('button', { name: 'Done' }).click();

    receiver.respond('/hook', 500, 200);
    await page.getByRole('button', { name: 'Actions for Ops' }).click();
    await page.getByRole('menuitem', { name: 'Send test' }).click();
    await page.getByText(/test message to Ops was not delivered/).waitFor();
    await page.getByRole('button', { name: /^Retry now/ }).click();
    await page.getByText('The message to Ops was delivered.').waitFor();
    await page.getByText('2 attempts').waitFor();
    await expectReadable(page, 'notifications');
    expectNoFaults(visitor);
  });
});
