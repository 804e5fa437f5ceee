import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ChooseCanariesRequest,
  ContinueWithoutProofRequest,
  CreateRolloutRequest,
  ErrorBody,
  IdParams,
  RolloutPreviewRequest,
  RolloutPreviewResponse,
  RolloutResponse,
  RolloutsQuery,
  RolloutsResponse,
} from '@steward/contract';
import type { FastifyRequest } from 'fastify';
import { getAuditOrigin, signedIn } from '../../http/access.ts';
import { IDS_BODY_LIMIT_BYTES } from '../../http/limits.ts';
import type { RolloutService } from './rollouts.service.ts';

type Options = { rollouts: RolloutService };

export const rolloutRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { rollouts }) => {
  const view = { access: 'session', permission: 'sites.view', tokenAction: 'read' } as const;
  const act = { access: 'session', permission: 'sites.act', tokenAction: 'rollouts' } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  async function respond(request: FastifyRequest, id: number) {
    return { success: true as const, ...(await rollouts.show(signedIn(request).user, id)) };
  }

  app.get(
    '/panel/rollouts',
    {
      config: view,
      schema: {
        operationId: 'listRollouts',
        summary: 'List rollouts, newest first',
        querystring: RolloutsQuery,
        response: { 200: RolloutsResponse, ...errors },
      },
    },
    async (request) => {
      const before = Number(request.query.before ?? Number.MAX_SAFE_INTEGER);
      return {
        success: true as const,
        rollouts: await rollouts.list(signedIn(request).user, before),
      };
    },
  );

  app.get(
    '/panel/rollouts/:id',
    {
      config: view,
      schema: {
        operationId: 'getRollout',
        summary: 'Show a rollout with its rings and sites',
        errorCodes: ['rollout_not_found'],
        params: IdParams,
        response: { 200: RolloutResponse, ...errors },
      },
    },
    (request) => respond(request, Number(request.params.id)),
  );

  app.post(
    '/panel/rollouts/preview',
    {
      config: { ...act, tokenAction: 'read' },
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'previewRollout',
        summary: 'Preview the rings of a rollout',

        body: RolloutPreviewRequest,
        response: { 200: RolloutPreviewResponse, ...errors },
      },
    },
    async (request) => {
      const { site_ids, rings } = request.body;
      const { user } = signedIn(request);
      return { success: true as const, rings: await rollouts.preview(user, site_ids, rings) };
    },
  );

  app.post(
    '/panel/rollouts',
    {
      config: act,
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'startRollout',
        summary: 'Start a rollout',
        errorCodes: ['site_not_found', 'held_version', 'management_plugin'],
        body: CreateRolloutRequest,
        response: { 200: RolloutResponse, ...errors },
      },
    },
    async (request) => {
      const origin = getAuditOrigin(request);
      const id = await rollouts.create(signedIn(request).user, request.body, origin);
      return respond(request, id);
    },
  );

  app.post(
    '/panel/rollouts/:id/canaries',
    {
      config: act,
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'chooseCanaries',
        summary: 'Choose other canaries for a rollout that waits for proof',
        description:
          'These sites of later rings move to the current ring, which updates them and soaks again. 403 if you have no access to one of them.',
        errorCodes: ['rollout_not_found', 'rollout_not_waiting', 'held_version'],
        params: IdParams,
        body: ChooseCanariesRequest,
        response: { 200: RolloutResponse, ...errors },
      },
    },
    async (request) => {
      const id = Number(request.params.id);
      const { user } = signedIn(request);
      await rollouts.chooseCanaries(user, id, request.body.site_ids, getAuditOrigin(request));
      return respond(request, id);
    },
  );

  app.post(
    '/panel/rollouts/:id/continue-without-proof',
    {
      config: act,
      schema: {
        operationId: 'continueWithoutProof',
        summary: 'Continue a rollout that waits for proof, with a reason',
        description:
          'The next ring starts. The reason is kept in the audit log and on the rollout.',
        errorCodes: ['rollout_not_found', 'rollout_not_waiting', 'held_version'],
        params: IdParams,
        body: ContinueWithoutProofRequest,
        response: { 200: RolloutResponse, ...errors },
      },
    },
    async (request) => {
      const id = Number(request.params.id);
      const { user } = signedIn(request);
      await rollouts.continueWithoutProof(user, id, request.body.reason, getAuditOrigin(request));
      return respond(request, id);
    },
  );

  const changes = [
    [
      'resume',
      'resumeRollout',
      'Continue a halted rollout',
      rollouts.resume,
      ['rollout_not_halted', 'held_version'],
    ],
    [
      'end-soak',
      'endRolloutSoak',
      'End the soak time of a ring now',
      rollouts.endSoak,
      ['rollout_not_soaking'],
    ],
    ['cancel', 'cancelRollout', 'Cancel a rollout', rollouts.cancel, []],
  ] as const;
  for (const [path, operationId, summary, change, errorCodes] of changes) {
    app.post(
      `/panel/rollouts/:id/${path}`,
      {
        config: act,
        schema: {
          operationId,
          summary,
          errorCodes: ['rollout_not_found', ...errorCodes],
          params: IdParams,
          response: { 200: RolloutResponse, ...errors },
        },
      },
      async (request) => {
        const id = Number(request.params.id);
        await change(signedIn(request).user, id, getAuditOrigin(request));
        return respond(request, id);
      },
    );
  }
};
