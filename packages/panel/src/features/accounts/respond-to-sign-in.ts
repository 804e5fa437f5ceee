import type { FastifyReply, FastifyRequest } from 'fastify';
import { getAuditOrigin } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Client } from './auth-provider.ts';
import type { CompletedSignIn, PendingSignIn } from './sign-in.service.ts';

/** Enough to tell browsers apart. Some clients send much longer values. */
const USER_AGENT_MAX_LENGTH = 300;

/**
 * Runs the sign-in, sets the cookies and returns the signed-in user. Throws `two_factor_required` if a second factor must
 * follow.
 */
export async function respondToSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  signIn: (client: Client, origin: AuditOrigin) => Promise<CompletedSignIn | PendingSignIn>,
) {
  const userAgent = request.headers['user-agent']?.slice(0, USER_AGENT_MAX_LENGTH);
  const client = { ip: request.ip, userAgent, cookieHeader: request.headers.cookie };
  const { cookies, ...outcome } = await signIn(client, getAuditOrigin(request));
  reply.header('set-cookie', cookies);
  if ('methods' in outcome) {
    throw new AppError('two_factor_required', { details: { methods: outcome.methods } });
  }
  return { success: true as const, ...outcome };
}
