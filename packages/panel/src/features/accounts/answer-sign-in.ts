import type { FastifyReply, FastifyRequest } from 'fastify';
import { panelOrigin } from '../../http/access.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Origin } from '../../platform/origin.ts';
import type { Client } from './authenticator.ts';
import type { AskedForMore, SignedInNow } from './sign-in.service.ts';

/** Enough to tell one's browsers apart; some send much more. */
const USER_AGENT_MAX_LENGTH = 300;

/** Signs somebody in, has the browser keep the session, and gives what the screen needs. */
export async function answerSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  signIn: (client: Client, origin: Origin) => Promise<SignedInNow | AskedForMore>,
) {
  const userAgent = request.headers['user-agent']?.slice(0, USER_AGENT_MAX_LENGTH);
  const client = { ip: request.ip, userAgent, cookieHeader: request.headers.cookie };
  const { cookies, ...outcome } = await signIn(client, panelOrigin(request));
  reply.header('set-cookie', cookies);
  if ('methods' in outcome) {
    throw new AppError('two_factor_required', { details: { methods: outcome.methods } });
  }
  return { success: true as const, ...outcome };
}
