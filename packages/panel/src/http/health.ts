import { DoneResponse, ErrorBody } from '@steward/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { AppError } from '../platform/app-error.ts';
import type { Database } from '../platform/database/tables.ts';

/** For monitoring: `/healthz` reports liveness, `/readyz` readiness. */
export async function healthRoutes(app: FastifyInstance, { db }: { db: Database }): Promise<void> {
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
    summary: 'Check that the database responds',
    response: { 200: DoneResponse, '5xx': ErrorBody },
  };
  app.get('/readyz', { config, schema }, async () => {
    try {
      await sql`SELECT 1 FROM panel_settings LIMIT 1`.execute(db);
    } catch (cause) {
      throw new AppError('unavailable', { message: 'The database does not respond.', cause });
    }
    return { success: true };
  });
}
