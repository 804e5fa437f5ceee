import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  ErrorBody,
  IdParams,
  PluginActionOnSitesRequest,
  RemotePluginActionError,
  RemotePluginActionRequest,
  RemotePluginActionResponse,
  RemoteUpdateRequest,
  RunDetailsResponse,
  RunRetryRequest,
  RunSummaryResponse,
  RunsQuery,
  RunsResponse,
  RunTaskParams,
  RunTaskResponse,
  RunTasksQuery,
  roleMay,
  SITE_IDS_MAX,
  SiteIdsRequest,
} from '@steward/contract';
import type { FastifyRequest } from 'fastify';
import {
  assertConfirmed,
  assertTokenAction,
  authenticate,
  getAuditOrigin,
  type Sessions,
  signedIn,
  type TokenAuthentication,
} from '../../http/access.ts';
import { IDS_BODY_LIMIT_BYTES } from '../../http/limits.ts';
import { fileResponse } from '../../http/openapi/file-response.ts';
import { AppError } from '../../platform/app-error.ts';
import {
  assertActionSucceeded,
  describeAction,
  FORWARDED_CODES,
  notStartedError,
} from './outcome/action-response.ts';
import { createRunResponder, PreferHeader } from './respond-with-run.ts';
import {
  LastEventIdHeader,
  RUN_EVENTS_DESCRIPTION,
  RUNS_EVENTS_DESCRIPTION,
  type StreamTiming,
  streamRun,
  streamRuns,
} from './run-stream.ts';
import type { RunService } from './runs.service.ts';
import { RUN_TOKEN_ACTIONS, toTokenAction } from './token-actions.ts';

type Options = {
  runs: RunService;
  sessions: Sessions;
  tokenAuthentication: TokenAuthentication;
  actionSeconds: number;
  actionGraceMs?: number | undefined;
  streamTiming?: StreamTiming | undefined;
};

/** Time in the queue and to reconcile a lost call, in addition to the timeout of the site. */
const ACTION_MARGIN_SECONDS = 60;
const RUNS_PER_PAGE = 50;

/** API for signed-in users to run actions on sites, and the routes with which the screens show runs. */
export const runRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { runs, actionSeconds, actionGraceMs } = options;
  const viewConfig = { access: 'session', permission: 'sites.view', tokenAction: 'read' } as const;
  const actConfig = { access: 'session', permission: 'sites.act' } as const;
  /** The run service counts deletions, and requires a confirmation above their limit. */
  const pluginActionConfig = {
    ...actConfig,
    confirmation: 'by_request',
    tokenAction: ['update', 'plugins'],
  } as const;
  /** The kind of the run decides which of these actions a token needs. */
  const anyRunConfig = { ...actConfig, tokenAction: RUN_TOKEN_ACTIONS } as const;
  const errors = { '4xx': ErrorBody, '5xx': ErrorBody };

  const { respondWithRun, stopping, actionsTimeUp } = createRunResponder(app, runs, actionGraceMs);

  const streamOptions = (request: FastifyRequest) => ({
    runs,
    timing: options.streamTiming,
    async findCurrentUser() {
      const caller = await authenticate(request, options).catch(nullIfRefused);
      if (!caller || caller.mustSetUpSecondFactor) return null;
      return roleMay(caller.user.role, viewConfig.permission) ? caller.user : null;
    },
    stopping,
  });

  app.post(
    '/remote/update',
    {
      config: { ...actConfig, tokenAction: 'update' },
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'updateSites',
        summary: 'Run all pending updates, or single ones, on sites',

        headers: PreferHeader,
        body: RemoteUpdateRequest,
        response: { 200: RunDetailsResponse, 202: RunDetailsResponse, ...errors },
      },
    },
    async (request, reply) => {
      const { site_ids: siteIds, items } = request.body;
      const input = { kind: 'update', siteIds, request: items ? { items } : {} } as const;
      const runId = await runs.create(signedIn(request).user, input, getAuditOrigin(request));
      return respondWithRun(request, reply, runId);
    },
  );

  app.post(
    '/panel/sites/sync',
    {
      config: { ...actConfig, tokenAction: 'sync' },
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'syncSites',
        summary: 'Sync sites: check for updates and report',
        headers: PreferHeader,
        body: SiteIdsRequest,
        response: { 200: RunDetailsResponse, 202: RunDetailsResponse, ...errors },
      },
    },
    async (request, reply) => {
      const input = { kind: 'sync', siteIds: request.body.site_ids } as const;
      const runId = await runs.create(signedIn(request).user, input, getAuditOrigin(request));
      return respondWithRun(request, reply, runId);
    },
  );

  app.post(
    '/remote/plugin-action',
    {
      config: pluginActionConfig,
      schema: {
        operationId: 'runPluginAction',
        summary: 'Update, activate, deactivate or delete one plugin on one site',
        errorCodes: [...FORWARDED_CODES, 'action_cancelled'],
        body: RemotePluginActionRequest,
        response: {
          200: RemotePluginActionResponse,
          '4xx': RemotePluginActionError,
          '5xx': RemotePluginActionError,
        },
      },
    },
    async (request) => {
      const { site_id, action, plugin } = request.body;
      assertTokenAction(request, toTokenAction('plugin_action', { action }));
      const { user } = signedIn(request);
      const kind = 'plugin_action' as const;
      const input = { kind, siteIds: [site_id], request: { action, plugin } };
      const runId = await runs.create(user, input, getAuditOrigin(request));
      const maxMs = (actionSeconds + ACTION_MARGIN_SECONDS) * 1000;
      if (!(await runs.waitFor(runId, maxMs, actionsTimeUp))) {
        const reason = actionsTimeUp.aborted ? 'panel_stopping' : 'not_begun_in_time';
        // An action that has not started must not run later, after its caller got an error.
        if (await runs.withdraw(runId, reason)) throw notStartedError(reason, runId);
      }
      const [result] = (await runs.show(user, runId)).results;
      assertActionSucceeded(result, runId, { isStopping: actionsTimeUp.aborted });
      return { success: true as const, site_id, action, plugin, ...describeAction(result) };
    },
  );

  app.post(
    '/panel/sites/plugin-action',
    {
      config: pluginActionConfig,
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'runPluginActionOnSites',
        summary: 'Update, activate, deactivate or delete one plugin on many sites',
        errorCodes: ['token_not_allowed'],
        headers: PreferHeader,
        body: PluginActionOnSitesRequest,
        response: { 200: RunDetailsResponse, 202: RunDetailsResponse, ...errors },
      },
    },
    async (request, reply) => {
      const { site_ids: siteIds, action, plugin } = request.body;
      assertTokenAction(request, toTokenAction('plugin_action', { action }));
      const input = { kind: 'plugin_action', siteIds, request: { action, plugin } } as const;
      const runId = await runs.create(signedIn(request).user, input, getAuditOrigin(request));
      return respondWithRun(request, reply, runId);
    },
  );

  app.get(
    '/panel/runs',
    {
      config: viewConfig,
      schema: {
        operationId: 'listRuns',
        summary: 'List runs, newest first',
        querystring: RunsQuery,
        response: { 200: RunsResponse, ...errors },
      },
    },
    async (request) => {
      const { before = Number.MAX_SAFE_INTEGER, limit = RUNS_PER_PAGE, status } = request.query;
      const page = { before: Number(before), limit: Number(limit), status };
      return { success: true as const, runs: await runs.list(signedIn(request).user, page) };
    },
  );

  app.get(
    '/panel/runs/events',
    {
      config: viewConfig,
      // Fastify reads the stream of a HEAD request to its end. This one has no end.
      exposeHeadRoute: false,
      schema: {
        operationId: 'followRuns',
        summary: 'Follow all running runs with server-sent events',
        description: RUNS_EVENTS_DESCRIPTION,
        response: { 200: fileResponse('A stream of events.', 'text/event-stream'), ...errors },
      },
    },
    async (request, reply) => streamRuns(reply, streamOptions(request)),
  );

  app.get(
    '/panel/runs/:id',
    {
      config: viewConfig,
      schema: {
        operationId: 'getRun',
        summary: 'Show a run and its tasks',
        errorCodes: ['run_not_found'],
        params: IdParams,
        querystring: RunTasksQuery,
        response: { 200: RunDetailsResponse, ...errors },
      },
    },
    async (request) => {
      const { after = -1, limit = SITE_IDS_MAX, status } = request.query;
      const page = { after: Number(after), limit: Number(limit), status };
      return runs.show(signedIn(request).user, Number(request.params.id), page);
    },
  );

  app.get(
    '/panel/runs/:id/tasks/:task_id',
    {
      config: viewConfig,
      schema: {
        operationId: 'getRunTask',
        summary: 'Show one task of a run with its details',
        errorCodes: ['run_not_found', 'not_found'],
        params: RunTaskParams,
        response: { 200: RunTaskResponse, ...errors },
      },
    },
    async (request) => {
      const { id, task_id } = request.params;
      const { user } = signedIn(request);
      return {
        success: true as const,
        task: await runs.showTask(user, Number(id), Number(task_id)),
      };
    },
  );

  app.get(
    '/panel/runs/:id/events',
    {
      config: viewConfig,
      schema: {
        operationId: 'followRun',
        summary: 'Follow a run with server-sent events',
        description: RUN_EVENTS_DESCRIPTION,
        errorCodes: ['run_not_found'],
        params: IdParams,
        headers: LastEventIdHeader,
        response: { 200: fileResponse('A stream of events.', 'text/event-stream'), ...errors },
      },
    },
    (request, reply) =>
      streamRun(request, reply, {
        ...streamOptions(request),
        runId: Number(request.params.id),
      }),
  );

  app.post(
    '/panel/runs/:id/cancel',
    {
      config: anyRunConfig,
      schema: {
        operationId: 'cancelRun',
        summary: 'Cancel the queued tasks of a run',
        errorCodes: ['run_not_found'],
        params: IdParams,
        response: { 200: RunSummaryResponse, ...errors },
      },
    },
    (request) =>
      runs.cancel(signedIn(request).user, Number(request.params.id), {
        origin: getAuditOrigin(request),
        assertMayChange: ({ kind, request: work }) =>
          assertTokenAction(request, toTokenAction(kind, work)),
      }),
  );

  app.post(
    '/panel/runs/:id/retry',
    {
      config: { ...anyRunConfig, confirmation: 'by_request' },
      bodyLimit: IDS_BODY_LIMIT_BYTES,
      schema: {
        operationId: 'retryRun',
        summary: 'Retry the unsuccessful tasks of a run, or some of them, in a new run',
        errorCodes: [
          'run_not_found',
          'run_not_finished',
          'nothing_to_retry',
          'run_already_retried',
          'token_not_allowed',
        ],
        params: IdParams,
        headers: PreferHeader,
        body: RunRetryRequest,
        response: { 200: RunDetailsResponse, 202: RunDetailsResponse, ...errors },
      },
    },
    async (request, reply) => {
      const { user } = signedIn(request);
      const runId = await runs.retry(user, Number(request.params.id), request.body?.site_ids, {
        origin: getAuditOrigin(request),
        assertMayChange({ kind, request: work }) {
          const tokenAction = toTokenAction(kind, work);
          assertTokenAction(request, tokenAction);
          if (kind === 'install') assertConfirmed(request, tokenAction);
        },
      });
      return respondWithRun(request, reply, runId);
    },
  );
};

/** The session or the access token is no longer valid. */
function nullIfRefused(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}
