import type { NotificationEventType } from '@steward/contract';
import { Webhook } from 'standardwebhooks';
import { registerSecret } from '../logs.ts';
import type { PanelClient } from '../panel/panel-client.ts';
import { startSmtpSink } from './smtp-sink.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

const PATH = '/hook';

/** `id`: the same for each attempt of a delivery. */
export type ReceivedMessage = { id: string; subject: string };
export type ReceivedEvent = {
  id: string;
  type: NotificationEventType;
  data: Record<string, unknown>;
};

/** Starts a mail server and a webhook receiver for the notifications of panel processes. */
export async function startNotificationInbox() {
  const subscriber = { secret: '', email: '' };
  const events: ReceivedEvent[] = [];
  const errors: unknown[] = [];
  // Verify each webhook when it arrives: a signature is valid for five minutes.
  const receiver = await startWebhookReceiver(({ body, headers }) => {
    try {
      const webhook = new Webhook(subscriber.secret);
      const event = webhook.verify(body, headers as Record<string, string>);
      events.push({ ...(event as Omit<ReceivedEvent, 'id'>), id: String(headers['webhook-id']) });
    } catch (error) {
      errors.push(error);
    }
  });
  const smtp = await startSmtpSink();

  return {
    /** The settings of the worker processes. */
    env: { SMTP_URL: smtp.url, SMTP_FROM: 'Steward <steward@example.com>' },

    /** Sends these events to the webhook receiver, and by e-mail to the owner. */
    async subscribe(
      owner: PanelClient & { email: string; password: string },
      event_types: NotificationEventType[],
    ): Promise<void> {
      await owner.ask('POST', '/auth/confirm', { password: owner.password });
      const channel = { kind: 'webhook', name: 'Ops', url: `${receiver.url}${PATH}`, event_types };
      type Created = { signing_secret: string };
      const created = await owner.ask<Created>('POST', '/panel/notification-channels', channel);
      registerSecret(created.signing_secret);
      Object.assign(subscriber, { secret: created.signing_secret, email: owner.email });
      const settings = { mode: 'immediate', event_types };
      await owner.ask('PUT', '/panel/account/notifications', settings);
    },

    /** All webhooks so far, also repeated ones. Throws if a signature is wrong. */
    webhooks(): ReceivedEvent[] {
      if (errors.length > 0) throw errors[0];
      return events;
    },

    mails: (): ReceivedMessage[] =>
      smtp.mails
        .filter(({ to }) => to.includes(subscriber.email))
        .map((mail) => {
          const headers = smtp.headersOf(mail).replace(/\r\n[ \t]+/g, ' ');
          const read = (name: string) =>
            new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1]?.trim() ?? '';
          return { id: read('Message-ID'), subject: read('Subject') };
        }),

    /** The receiver accepts webhooks, but does not respond until `respond` is called. */
    hang: () => receiver.respond(PATH, 'hang'),
    respond: () => receiver.respond(PATH, 200),

    async stop(): Promise<void> {
      await Promise.all([smtp.stop(), receiver.stop()]);
    },
  };
}

export type NotificationInbox = Awaited<ReturnType<typeof startNotificationInbox>>;
