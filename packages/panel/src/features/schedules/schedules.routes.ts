import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  DoneResponse,
  ErrorBody,
  IdParams,
  ScheduleRequest,
  ScheduleResponse,
  SchedulesResponse,
} from '@steward/contract';
import { getAuditOrigin, signedIn } from '../../http/access.ts';
import type { ScheduleService } from './schedules.service.ts';

type Options = { schedules: ScheduleService };

export const scheduleRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { schedules }) => {
  const act = { access: 'session', permission: 'sites.act', tokenAction: 'schedules' } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  app.get(
    '/panel/schedules',
    {
      config: { ...act, tokenAction: 'read' },
      schema: {
        operationId: 'listSchedules',
        summary: 'List schedules and their windows of the next 14 days',
        response: { 200: SchedulesResponse, ...errors },
      },
    },
    async (request) => ({
      success: true as const,
      ...(await schedules.list(signedIn(request).user)),
    }),
  );

  app.post(
    '/panel/schedules',
    {
      config: act,
      schema: {
        operationId: 'createSchedule',
        summary: 'Create a schedule',
        body: ScheduleRequest,
        response: { 200: ScheduleResponse, ...errors },
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      const id = await schedules.create(user, request.body, getAuditOrigin(request));
      return { success: true as const, schedule: await schedules.show(user, id) };
    },
  );

  app.put(
    '/panel/schedules/:id',
    {
      config: act,
      schema: {
        operationId: 'changeSchedule',
        summary: 'Change a schedule',
        errorCodes: ['schedule_not_found'],
        params: IdParams,
        body: ScheduleRequest,
        response: { 200: ScheduleResponse, ...errors },
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      const id = Number(request.params.id);
      await schedules.update(user, id, request.body, getAuditOrigin(request));
      return { success: true as const, schedule: await schedules.show(user, id) };
    },
  );

  app.delete(
    '/panel/schedules/:id',
    {
      config: act,
      schema: {
        operationId: 'deleteSchedule',
        summary: 'Delete a schedule',
        errorCodes: ['schedule_not_found'],
        params: IdParams,
        response: { 200: DoneResponse, ...errors },
      },
    },
    async (request) => {
      const { user } = signedIn(request);
      await schedules.remove(user, Number(request.params.id), getAuditOrigin(request));
      return { success: true as const };
    },
  );
};
