/**
 * The call log: a site records each call that changes something before it executes the call. The hash of an entry
 * covers the hash of the previous one, so a changed or missing entry breaks the chain. The panel compares the entries
 * with the calls that it made. Every implementation, in any language, must pass the cases in `vectors/call-log.json`.
 */

/** The hash before the first entry. */
export const CALL_LOG_START = '0'.repeat(64);
/** The maximum number of entries in one report, oldest first. */
export const CALL_LOG_REPORT_MAX = 50;
/** The maximum number of entries that a site keeps, reported or not. */
export const CALL_LOG_KEPT_MAX = 200;

export type LoggedCall = {
  /** 1, 2, 3 … */
  sequence: number;
  /** The signed timestamp in seconds since 1970. An unsigned call gets the time of the site. */
  timestamp: number;
  /** Example: `/service/v1/remote/update`, without `/wp-json`. */
  route: string;
  /** SHA-256 of the received body, in hex. */
  body_sha256: string;
  /** Null: the call was not signed. */
  nonce: string | null;
};

/** The hash of an entry is the SHA-256 of this text, in hex. */
export function loggedCallText(previousHash: string, call: LoggedCall): string {
  const { sequence, timestamp, route, body_sha256, nonce } = call;
  const fields = [previousHash, sequence, timestamp, route, body_sha256, nonce ?? '-'];
  return ['steward-log-v1', ...fields].join('\n');
}
