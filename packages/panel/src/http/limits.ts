import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../platform/app-error.ts';
import type { Config } from '../platform/config.ts';

/** For requests that may contain ten thousand ids, which exceed the default body limit. */
export const IDS_BODY_LIMIT_BYTES = 512 * 1024;

/** Applies the rate limit per client address. */
export async function applyRateLimit(app: FastifyInstance, config: Config): Promise<void> {
  if (config.rateLimitPerMinute === null) return;
  await app.register(rateLimit, {
    max: config.rateLimitPerMinute,
    timeWindow: '1 minute',
    errorResponseBuilder: () => new AppError('rate_limited'),
  });
}
