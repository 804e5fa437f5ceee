import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { DoneResponse, ErrorBody, IdParams } from '@steward/contract';
import { getAuditOrigin, signedIn } from '../../http/access.ts';
import type { CallLogService } from './call-log.service.ts';

type Options = { callLog: Pick<CallLogService, 'dismissAlarm'> };

export const alarmRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { callLog }) => {
  app.delete(
    '/panel/sites/:id/alarm',
    {
      config: { access: 'session', permission: 'sites.act', tokenAction: false },
      schema: {
        operationId: 'dismissSiteAlarm',
        summary: 'Dismiss the alarm of a site',
        errorCodes: ['site_not_found'],
        params: IdParams,
        response: { 200: DoneResponse, '4xx': ErrorBody, '5xx': ErrorBody },
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      await callLog.dismissAlarm(user, Number(request.params.id), getAuditOrigin(request));
      return { success: true as const };
    },
  );
};
