import Type from 'typebox';
import { CALL_LOG_REPORT_MAX } from '../call-log.ts';
import { NONCE_PATTERN } from '../signed-call.ts';

/** The call log in `site/verify`. */

const SAFE_INTEGER = { maximum: Number.MAX_SAFE_INTEGER };
const LAST_SECOND_OF_9999 = 253_402_300_799;
const sha256 = () => Type.String({ pattern: '^[0-9a-f]{64}$' });

export const CallLogEntry = Type.Object({
  sequence: Type.Integer({ minimum: 1, ...SAFE_INTEGER }),
  timestamp: Type.Integer({ minimum: 0, maximum: LAST_SECOND_OF_9999 }),
  route: Type.String({ pattern: '^/service/v1/remote/[a-z-]{1,40}$' }),
  body_sha256: sha256(),
  nonce: Type.Unsafe<string | null>({ type: ['string', 'null'], pattern: NONCE_PATTERN }),
  hash: sha256(),
});
export type CallLogEntry = Type.Static<typeof CallLogEntry>;

export const CallLogReport = Type.Object({
  head: Type.Object({ sequence: Type.Integer({ minimum: 0, ...SAFE_INTEGER }), hash: sha256() }),
  after: Type.Integer({ minimum: 0, ...SAFE_INTEGER }),
  entries: Type.Array(CallLogEntry, { maxItems: CALL_LOG_REPORT_MAX }),
});
export type CallLogReport = Type.Static<typeof CallLogReport>;

/**
 * Not validated in this schema. The panel checks it later with `CallLogReport`: an unreadable call log raises an alarm,
 * but must not block the license check.
 */
export const callLogInRequest = () =>
  Type.Optional(
    Type.Unsafe<unknown>({
      description:
        'The call log of the site: `head` (`sequence`, `hash`), `after` (the last sequence number that the panel has acknowledged) and the `entries` after it.',
    }),
  );

export const callLogInResponse = () =>
  Type.Optional(
    Type.Object({
      acknowledged: Type.Integer({
        description: 'The last sequence number that the panel has received.',
      }),
    }),
  );
