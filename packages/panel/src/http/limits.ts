import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../platform/app-error.ts';
import type { Config } from '../platform/config.ts';

/** Ten thousand ids are more than a body otherwise may have. */
export const IDS_BODY_LIMIT_BYTES = 256 * 1024;

/** How much one caller may ask of the panel. */
export async function limitCallers(app: FastifyInstance, config: Config): Promise<void> {
  if (config.rateLimitPerMinute === null) return;
  await app.register(rateLimit, {
    max: config.rateLimitPerMinute,
    timeWindow: '1 minute',
    errorResponseBuilder: () => new AppError('rate_limited'),
  });
}
