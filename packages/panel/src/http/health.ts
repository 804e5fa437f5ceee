import { DoneResponse, ErrorBody } from '@steward/contract';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../platform/app-error.ts';
import type { Database } from '../platform/database/handles.ts';
import { readSetting } from '../platform/database/settings.ts';

type Options = { db: Database; isDraining: () => boolean };

/** For monitoring and load balancers: `/healthz` reports liveness, `/readyz` whether to send requests here. */
export async function healthRoutes(
  app: FastifyInstance,
  { db, isDraining }: Options,
): Promise<void> {
  const config = { access: 'public', rateLimit: false } as const;

  app.get(
    '/healthz',
    {
      config,
      schema: {
        operationId: 'checkLiveness',
        summary: 'Check that the process responds',
        response: { 200: DoneResponse, '5xx': ErrorBody },
      },
    },
    async () => ({ success: true }),
  );

  const schema = {
    operationId: 'checkReadiness',
    summary: 'Check that the panel is not stopping and the database responds',
    response: { 200: DoneResponse, '5xx': ErrorBody },
  };
  app.get('/readyz', { config, schema }, async () => {
    if (isDraining()) throw new AppError('unavailable', { message: 'The panel is stopping.' });
    try {
      // Any name: the query fails if the database does not respond or has no tables of the panel.
      await readSetting(db, 'secret_check');
    } catch (cause) {
      throw new AppError('unavailable', { message: 'The database does not respond.', cause });
    }
    return { success: true };
  });
}
