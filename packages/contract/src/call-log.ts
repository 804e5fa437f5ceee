/**
 * The log that a site keeps of the calls it has obeyed. Each entry has a hash over the one before it, so a call
 * cannot be taken out afterwards. The panel compares the entries with the calls that it has made.
 * `vectors/call-log.json` holds the cases that every implementation, in any language, must pass.
 */

/** The hash before the first entry. */
export const CALL_LOG_START = '0'.repeat(64);
/** As many as one report carries, the oldest first. */
export const CALL_LOG_REPORT_MAX = 50;
/** As many as a site keeps, reported or not. */
export const CALL_LOG_KEPT_MAX = 200;

export type LoggedCall = {
  /** 1, 2, 3 … */
  sequence: number;
  /** As it was signed: seconds since 1970. Of a call without a signature, the clock of the site. */
  timestamp: number;
  /** `/service/v1/remote/update`, wherever the site has its REST API. */
  route: string;
  /** Of the body as it was received, in hex. */
  body_sha256: string;
  /** Null: the call had no signature. */
  nonce: string | null;
};

/** The SHA-256 of this, in hex, is the hash of the entry. */
export function textOfLoggedCall(previousHash: string, call: LoggedCall): string {
  const { sequence, timestamp, route, body_sha256, nonce } = call;
  const fields = [previousHash, sequence, timestamp, route, body_sha256, nonce ?? '-'];
  return ['steward-log-v1', ...fields].join('\n');
}
