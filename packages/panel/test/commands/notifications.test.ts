import { registerSecret } from '@steward/testkit/logs.ts';
import { startSmtpSink } from '@steward/testkit/notifications/smtp-sink.ts';
import { startWebhookReceiver } from '@steward/testkit/notifications/webhook-receiver.ts';
import { expectFailure, useCommandLine } from '@steward/testkit/panel/use-command-line.ts';
import { expect, it, onTestFinished } from 'vitest';

const { env, steward, json, withInput } = useCommandLine();

it('steward notification adds, tests, lists and deletes a channel', async () => {
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.stop());
  expect((await steward('notification', 'list')).stdout).toBe('No notification channels.\n');
  const options = ['--kind', 'webhook', '--name', 'Ops', '--events', 'site.down,site.up'];
  const { stdout } = await withInput(`${receiver.url}/hook\n`, 'notification', 'add', ...options);
  const secret = /Signing secret: (whsec_\S+)/.exec(stdout)?.[1] ?? '';
  registerSecret(secret);
  expect(secret).not.toBe('');
  expect(await json('notification', 'list')).toMatchObject([
    { id: 1, name: 'Ops', event_types: ['site.down', 'site.up'] },
  ]);
  expect((await steward('notification', 'list')).stdout).toMatch(
    /^1 {3}webhook +Ops +127\.0\.0\.1:\d+ +on +site\.down,site\.up$/m,
  );

  expect(await steward('notification', 'test', '1')).toMatchObject({
    code: 0,
    stdout: 'Delivered.\n',
  });
  receiver.respond('/hook', 500);
  const failed = await steward('notification', 'test', '1');
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(/^Not delivered: 127\.0\.0\.1:\d+ responded with status 500\.\n$/);
  expect(await json('notification', 'log')).toMatchObject([
    { status: 'failed', attempts: 1, http_status: 500 },
    { status: 'delivered', recipient: 'Ops' },
  ]);

  expect((await steward('notification', 'delete', '1')).stdout).toBe('Deleted channel 1.\n');
  expectFailure(await steward('notification', 'test', '1'), /no such notification channel/);
  expectFailure(
    await withInput('ftp://x', 'notification', 'add', ...options),
    /must start with https/,
  );
  const wrong = ['--kind', 'webhook', '--name', 'Ops', '--events', 'site.gone'];
  expectFailure(await withInput('https://x', 'notification', 'add', ...wrong), /Event types/);
});

it('steward notification test-email sends to a user, or says why not', async () => {
  const email = 'anna@example.com';
  const created = await json('user', 'create', '--email', email, '--role', 'viewer');
  registerSecret(created.password);
  expect(await steward('notification', 'test-email', email)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Set SMTP_URL'),
  });
  const smtp = await startSmtpSink();
  onTestFinished(async () => {
    delete env.SMTP_URL;
    delete env.SMTP_FROM;
    await smtp.stop();
  });
  Object.assign(env, { SMTP_URL: smtp.url, SMTP_FROM: 'Steward <steward@example.com>' });
  expect(await steward('notification', 'test-email', email)).toMatchObject({
    code: 0,
    stdout: 'Delivered.\n',
  });
  expect(smtp.mails).toMatchObject([{ to: [email] }]);
  expectFailure(
    await steward('notification', 'test-email', 'unknown@example.com'),
    /does not exist/,
  );
});
