import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  DeliveriesQuery,
  DeliveriesResponse,
  DeliveryResponse,
  EmailSettings,
  EmailSettingsResponse,
  ErrorBody,
  IdParams,
  notificationTypesFor,
  type PanelUser,
} from '@steward/contract';
import { signedIn } from '../../http/access.ts';
import type { NotificationRouteOptions } from './channels.routes.ts';

const owner = { access: 'session', permission: 'owner', tokenAction: false } as const;
const account = { access: 'session', permission: 'account', tokenAction: false } as const;
const errors = { '4xx': ErrorBody, '5xx': ErrorBody };
const success = true as const;

/** The delivery log, and the e-mail settings of the signed-in user. */
export const deliveryRoutes: FastifyPluginAsyncTypebox<NotificationRouteOptions> = async (
  app,
  { emailSettings, deliveryLog, deliverer },
) => {
  app.get(
    '/panel/notification-deliveries',
    {
      config: { ...owner, tokenAction: 'read' },
      schema: {
        operationId: 'listNotificationDeliveries',
        summary: 'List the deliveries of notifications',
        querystring: DeliveriesQuery,
        response: { 200: DeliveriesResponse, ...errors },
      },
    },
    async ({ query }) => ({ success, ...(await deliveryLog.list(query)) }),
  );

  app.post(
    '/panel/notification-deliveries/:id/retry',
    {
      config: owner,
      schema: {
        operationId: 'retryNotificationDelivery',
        summary: 'Try a delivery again now and return the result',
        errorCodes: ['delivery_not_found', 'delivery_in_progress', 'delivery_finished'],
        params: IdParams,
        response: { 200: DeliveryResponse, ...errors },
      },
    },
    async ({ params }) => {
      const id = Number(params.id);
      await deliverer.retryNow(id);
      return { success, delivery: await deliveryLog.find(id) };
    },
  );

  const respondWith = (user: PanelUser, settings: EmailSettings) => ({
    success,
    settings,
    available_event_types: notificationTypesFor(user.role),
    smtp_configured: deliverer.isSmtpConfigured,
  });
  const response = { 200: EmailSettingsResponse, ...errors };

  app.get(
    '/panel/account/notifications',
    {
      config: account,
      schema: { operationId: 'getEmailSettings', summary: 'Get your e-mail settings', response },
    },
    async (request) => {
      const { user } = signedIn(request);
      return respondWith(user, await emailSettings.view(user));
    },
  );

  app.put(
    '/panel/account/notifications',
    {
      config: account,
      schema: {
        operationId: 'changeEmailSettings',
        summary: 'Change your e-mail settings',
        body: EmailSettings,
        response,
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      return respondWith(user, await emailSettings.update(user, request.body));
    },
  );

  app.post(
    '/panel/account/notifications/test',
    {
      config: account,
      schema: {
        operationId: 'sendTestEmail',
        summary: 'Send a test e-mail to your address and return the result',
        response: { 200: DeliveryResponse, ...errors },
      },
    },
    async (request) => {
      const id = await deliverer.sendTest({ userId: signedIn(request).user.id });
      return { success, delivery: await deliveryLog.find(id) };
    },
  );
};
