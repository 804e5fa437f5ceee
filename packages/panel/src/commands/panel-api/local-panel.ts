import type { FastifyInstance } from 'fastify';
import { buildApp } from '../../app.ts';
import { type Background, openBackground } from '../../background.ts';
import { OPERATOR } from '../../features/site-access/index.ts';
import type { SignedIn } from '../../http/access.ts';
import { openPanel, type Panel } from '../../panel.ts';
import { COMMAND_LINE } from '../../platform/audit-origin.ts';
import { systemClock } from '../../platform/clock.ts';
import { type Config, loadConfig } from '../../platform/config.ts';
import { isTransientError } from '../../platform/database/is-transient-error.ts';
import { isWorkerRunning } from '../../platform/database/panel-lock.ts';
import { createLogger } from '../../platform/logger.ts';
import { PanelError } from './panel-error.ts';
import type { SendRequest } from './read-response.ts';

const SIGNED_IN: SignedIn = {
  user: { ...OPERATOR, name: 'Operator', email: '' },
  sessionId: 0,
  isConfirmed: true,
  isConfirmedAfterSignIn: true,
  mustSetUpSecondFactor: false,
  auditOrigin: COMMAND_LINE,
};

/** Never reports an overload: a command keeps its process busy while it starts, which is no reason to refuse its requests. */
const NO_LOAD = { utilization: () => 0, isOverloaded: () => false, stop: () => {} };

export type LocalPanel = {
  send: SendRequest;
  isWorkerRunning(): Promise<boolean>;
  close(): Promise<void>;
};

/**
 * Opens the panel in this process. Requests reach the same routes as over the network, as the operator. This HTTP server
 * never listens, so no other process can send requests as the operator.
 */
export async function openLocalPanel(env: NodeJS.ProcessEnv): Promise<LocalPanel> {
  const config: Config = { ...loadConfig(env), rateLimitPerMinute: null };
  const opened = new AsyncDisposableStack();
  // An error during close must not hide a result.
  const defer = (close: () => Promise<unknown>) =>
    opened.defer(async () => void (await close().catch(() => {})));
  try {
    // No logs: standard error must contain only the error line.
    const log = createLogger('silent');
    const panel = await openPanel(config, log);
    defer(panel.close);
    const deps = { ...panel.connection, ...panel.services, secrets: panel.secrets, log };
    const background = await openBackground({ ...deps, clock: systemClock }, config, {
      startsWorker: false,
    });
    defer(background.stop);
    const app = await buildOperatorApp(config, panel, background);
    defer(() => app.close());
    return {
      send: createLocalSender(app),
      isWorkerRunning: () => isWorkerRunning(panel.connection.pool),
      close: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw isTransientError(error)
      ? new PanelError((error as Error).message, { isTransient: true, cause: error })
      : error;
  }
}

function buildOperatorApp(
  config: Config,
  { connection, services, secrets }: Panel,
  { runs }: Background,
): Promise<FastifyInstance> {
  const sessions = {
    ...services.sessions,
    authenticate: async () => SIGNED_IN,
    isCsrfToken: () => true,
  };
  const log = createLogger('silent');
  return buildApp(config, {
    ...{ db: connection.db, services: { ...services, sessions }, runs, secrets, log },
    load: NO_LOAD,
    clock: systemClock,
    draining: new AbortController().signal,
  });
}

function createLocalSender(app: FastifyInstance): SendRequest {
  return async ({ method, path, body }) => {
    const { statusCode, headers, payload } = await app.inject({
      method,
      url: path,
      headers: { prefer: 'respond-async' },
      ...(body && { payload: body }),
    });
    return {
      status: statusCode,
      contentType: String(headers['content-type'] ?? ''),
      retryAfter: null,
      location: null,
      text: payload,
    };
  };
}
