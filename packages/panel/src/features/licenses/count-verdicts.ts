import type { License } from '@steward/contract';
import type { FastifyInstance } from 'fastify';
import { getMeter } from '../../platform/telemetry/meter.ts';

type Body = { license?: License; code?: string };

/** Counts the responses of the license API: `valid`, or the error code. */
export function countVerdicts(app: FastifyInstance): void {
  app.addHook<Body>('preSerialization', (_request, _reply, body, done) => {
    getMeter()?.countLicenseVerdict(verdictOf(body));
    done(null, body);
  });
}

function verdictOf({ code, license }: Body): string {
  if (code !== undefined) return code;
  const isValid = license?.status === 'active' || license?.status === 'inactive';
  // Validation responds with 200 to an expired, suspended or revoked license.
  return isValid ? 'valid' : `license_${license?.status}`;
}
