import rateLimit from '@fastify/rate-limit';
import underPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { AppError } from '../lib/app-error.ts';

/** Far above what a garbage collection or a busy neighbour causes. */
const OVERLOADED_EVENT_LOOP_MS = 5000;

/** How much one caller, and all callers together, may ask of the panel. */
export async function limitCallers(app: FastifyInstance, config: Config): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: OVERLOADED_EVENT_LOOP_MS,
    pressureHandler: () => {
      throw new AppError('unavailable', { internal: 'overloaded' });
    },
  });
  if (config.rateLimitPerMinute === null) return;
  await app.register(rateLimit, {
    max: config.rateLimitPerMinute,
    timeWindow: '1 minute',
    errorResponseBuilder: () => new AppError('rate_limited'),
  });
}
