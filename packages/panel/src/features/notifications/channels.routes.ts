import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  CreateChannelRequest,
  DeliveryResponse,
  DoneResponse,
  ErrorBody,
  IdParams,
  NewChannelResponse,
  NotificationChannelResponse,
  NotificationChannelsResponse,
  SigningSecretResponse,
  UpdateChannelRequest,
} from '@steward/contract';
import { assertConfirmed, getAuditOrigin } from '../../http/access.ts';
import type { ChannelService } from './channels.service.ts';
import type { Deliverer } from './deliverer.ts';
import type { DeliveryLog } from './delivery-log.service.ts';
import type { EmailSettingsService } from './email-settings.service.ts';

export type NotificationRouteOptions = {
  notificationChannels: ChannelService;
  emailSettings: EmailSettingsService;
  deliveryLog: DeliveryLog;
  deliverer: Deliverer;
};

/** Channels send data to other servers, and their URLs are secrets, so an access token can only list channels. */
const config = { access: 'session', permission: 'owner', tokenAction: false } as const;
const errors = { '4xx': ErrorBody, '5xx': ErrorBody };
const success = true as const;

export const channelRoutes: FastifyPluginAsyncTypebox<NotificationRouteOptions> = async (
  app,
  { notificationChannels: channels, emailSettings, deliveryLog, deliverer },
) => {
  app.get(
    '/panel/notification-channels',
    {
      config: { ...config, tokenAction: 'read' },
      schema: {
        operationId: 'listNotificationChannels',
        summary: 'List the notification channels',
        response: { 200: NotificationChannelsResponse, ...errors },
      },
    },
    async () => ({
      success,
      channels: await channels.list(),
      smtp_configured: deliverer.isSmtpConfigured,
      email_users: await emailSettings.countUsers(),
    }),
  );

  app.post(
    '/panel/notification-channels',
    {
      // Without a confirmation, an attacker with a stolen session could send all notifications elsewhere.
      config: { ...config, confirmation: true },
      schema: {
        operationId: 'createNotificationChannel',
        summary: 'Create a notification channel and return its signing secret',
        errorCodes: ['invalid_channel_url', 'too_many_channels'],
        body: CreateChannelRequest,
        response: { 200: NewChannelResponse, ...errors },
      },
    },
    async (request) => ({
      success,
      ...(await channels.create(request.body, getAuditOrigin(request))),
    }),
  );

  app.patch(
    '/panel/notification-channels/:id',
    {
      config: { ...config, confirmation: 'by_request' },
      schema: {
        operationId: 'changeNotificationChannel',
        summary: 'Change a notification channel. A new URL needs a confirmation of identity.',
        errorCodes: ['channel_not_found', 'invalid_channel_url'],
        params: IdParams,
        body: UpdateChannelRequest,
        response: { 200: NotificationChannelResponse, ...errors },
      },
    },
    async (request) => {
      if (request.body.url !== undefined) assertConfirmed(request);
      const id = Number(request.params.id);
      return { success, channel: await channels.update(id, request.body, getAuditOrigin(request)) };
    },
  );

  app.delete(
    '/panel/notification-channels/:id',
    {
      config,
      schema: {
        operationId: 'deleteNotificationChannel',
        summary: 'Delete a notification channel and cancel its waiting deliveries',
        errorCodes: ['channel_not_found'],
        params: IdParams,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      await channels.remove(Number(request.params.id), getAuditOrigin(request));
      return { success };
    },
  );

  app.post(
    '/panel/notification-channels/:id/reveal-secret',
    {
      config: { ...config, confirmation: true },
      schema: {
        operationId: 'revealChannelSecret',
        summary: 'Reveal the signing secret of a webhook',
        errorCodes: ['channel_not_found'],
        params: IdParams,
        response: { 200: SigningSecretResponse, ...errors },
      },
    },
    async (request) => {
      const id = Number(request.params.id);
      const signing_secret = await channels.revealSecret(id, getAuditOrigin(request));
      return { success, signing_secret };
    },
  );

  app.post(
    '/panel/notification-channels/:id/test',
    {
      config,
      schema: {
        operationId: 'testNotificationChannel',
        summary: 'Send a test message to a channel and return the result',
        errorCodes: ['channel_not_found'],
        params: IdParams,
        response: { 200: DeliveryResponse, ...errors },
      },
    },
    async ({ params }) => {
      const id = await deliverer.sendTest({ channelId: Number(params.id) });
      return { success, delivery: await deliveryLog.find(id) };
    },
  );
};
