import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBackup } from '@steward/panel/features';
import { expectReadable } from '@steward/testkit/browser/expect-readable.ts';
import {
  expectNoFaults,
  usePanelInBrowser,
} from '@steward/testkit/browser/use-panel-in-browser.ts';
import { registerSecret } from '@steward/testkit/logs.ts';
import { type SmtpSink, startSmtpSink } from '@steward/testkit/notifications/smtp-sink.ts';
import { newPassword } from '@steward/testkit/panel/signed-in-user.ts';
import { afterAll, describe, expect, it } from 'vitest';

let smtp: SmtpSink;
const folder = mkdtempSync(join(tmpdir(), 'steward-backups-'));
const panel = usePanelInBrowser(async () => {
  smtp = await startSmtpSink();
  return {
    smtp: { url: smtp.url, from: 'Steward <steward@example.com>' },
    backups: { folder, everyHours: 24, keep: 7 },
  };
});
afterAll(async () => {
  await smtp.stop();
  rmSync(folder, { recursive: true });
});

describe('mail and backups', () => {
  it('an owner tests the mail server, backs up the panel and downloads the backup', async () => {
    const visitor = await panel.open(panel.owner, '/notifications');
    const { page } = visitor;
    await page.getByRole('button', { name: 'Send test e-mail' }).click();
    await page.getByText(`The test message to ${panel.owner.email} was delivered.`).waitFor();
    await page.getByText('Working').waitFor();
    expect(smtp.mails).toMatchObject([{ to: [panel.owner.email] }]);

    await page.getByRole('link', { name: 'Backups' }).click();
    await page.getByRole('button', { name: 'Back up now' }).click();
    const requested = page.getByRole('button', { name: /^Download .*-requested\.tar$/ });
    await requested.waitFor();
    await page.getByText('Created and read back').waitFor();
    await expectReadable(page, 'backups');
    await requested.click();
    const confirmation = page.getByRole('dialog', { name: 'Confirm your identity' });
    await confirmation.getByLabel('Your password').fill(panel.owner.password);
    const downloading = page.waitForEvent('download');
    await confirmation.getByRole('button', { name: 'Confirm' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(
      /^steward-[0-9a-f]{8}-\d{8}T\d{6}Z-requested\.tar$/,
    );
    const path = join(folder, 'downloaded.tar');
    await download.saveAs(path);
    const backup = await openBackup(path);
    await backup.verifyParts();
    await backup.close();
    expectNoFaults(visitor);
  });

  it('a user who forgot the password sets a new one with a link from an e-mail', async () => {
    const person = await panel.newUser('viewer', 'Vera');
    const visitor = await panel.visitor();
    const { page } = visitor;
    await page.goto(`${panel.url}/sign-in`);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByRole('button', { name: 'Send link' }).waitFor();
    await page.getByLabel('E-mail').fill(person.email);
    await expectReadable(page, 'the page for a forgotten password');
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText(/has an account, a link is on its way/).waitFor();
    const received = () => smtp.mails.filter(({ to }) => to.includes(person.email));
    await expect.poll(received).toHaveLength(1);
    const text = received()[0]?.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '';
    const link = /http:\/\/localhost:\d+\/set-password#token=[\w-]+/.exec(text)?.[0] ?? '';
    registerSecret(link.split('#token=')[1] ?? '');
    await page.goto(panel.url + link.slice(new URL(link).origin.length));
    const password = newPassword();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Password set. Sign in with it.').waitFor();
    await page.getByLabel('E-mail').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await expect.poll(received).toHaveLength(2);
    expectNoFaults(visitor);
  });
});
