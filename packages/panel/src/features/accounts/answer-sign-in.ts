import type { SignInRequest } from '@steward/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { panelOrigin } from '../../plugins/access.ts';
import type { SessionService } from './sessions.service.ts';

/** Enough to tell one's browsers apart; some send much more. */
const USER_AGENT_MAX_LENGTH = 300;

/** Signs somebody in, has the browser keep the session, and gives what the screen needs. */
export async function answerSignIn(
  sessions: SessionService,
  credentials: SignInRequest,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const userAgent = request.headers['user-agent']?.slice(0, USER_AGENT_MAX_LENGTH);
  const client = { ip: request.ip, userAgent };
  const { cookies, ...session } = await sessions.signIn(credentials, client, panelOrigin(request));
  reply.header('set-cookie', cookies);
  return { success: true as const, ...session };
}
