import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { AppError } from '../lib/app-error.ts';

/** How much one caller may ask of the panel. */
export async function limitCallers(app: FastifyInstance, config: Config): Promise<void> {
  if (config.rateLimitPerMinute === null) return;
  await app.register(rateLimit, {
    max: config.rateLimitPerMinute,
    timeWindow: '1 minute',
    errorResponseBuilder: () => new AppError('rate_limited'),
  });
}
