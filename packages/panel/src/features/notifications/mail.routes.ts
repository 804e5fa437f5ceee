import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ErrorBody, MailStatusResponse } from '@steward/contract';
import type { MailStatusService } from './mail-status.service.ts';

type Options = { mailStatus: MailStatusService };

export const mailRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { mailStatus }) => {
  app.get(
    '/panel/mail',
    {
      config: { access: 'session', permission: 'owner', tokenAction: 'read' },
      schema: {
        operationId: 'getMailStatus',
        summary: 'Get the mail server, the last sent e-mail and the last failure',
        response: { 200: MailStatusResponse, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async () => ({ success: true as const, mail: await mailStatus.view() }),
  );
};
