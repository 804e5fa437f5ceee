import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { toAddressGroup } from '../platform/address-group.ts';
import { AppError } from '../platform/app-error.ts';
import type { Config } from '../platform/config.ts';

/** For requests that may contain ten thousand ids, which exceed the default body limit. */
export const IDS_BODY_LIMIT_BYTES = 512 * 1024;

/** Applies the rate limit per client: one IPv4 address, or an IPv6 /64 network. */
export async function applyRateLimit(app: FastifyInstance, config: Config): Promise<void> {
  if (config.rateLimitPerMinute === null) return;
  await app.register(rateLimit, {
    max: config.rateLimitPerMinute,
    timeWindow: '1 minute',
    // The same group as the limit of password attempts, also for routes with a limit of their own.
    keyGenerator: ({ ip }) => toAddressGroup(ip),
    errorResponseBuilder: () => new AppError('rate_limited'),
  });
}
