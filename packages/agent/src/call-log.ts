import { createHash } from 'node:crypto';
import {
  CALL_LOG_KEPT_MAX,
  CALL_LOG_REPORT_MAX,
  CALL_LOG_START,
  type CallLogReport,
  loggedCallText,
  NONCE_HEADER,
  SIGNATURE_HEADER,
  TIMESTAMP_HEADER,
} from '@steward/contract';
import type { ReceivedCall } from './call-signature.ts';
import type { OptionsStore, SiteOptions } from './site-options.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Appends a call to the call log before it runs. The caller must hold the writer lock: concurrent appends would
 * fork the hash chain.
 */
export async function logCall(options: OptionsStore, call: ReceivedCall, now: Date): Promise<void> {
  const { call_log: log, signing_key: publicKey } = await options.read();
  const { sequence, hash: previous } = readHead(log);
  // Trust the headers only if the signature was verified, which requires the panel's public key. A site that
  // accepts unsigned calls also receives calls without these headers.
  const isSigned = publicKey !== null && call.headers.has(SIGNATURE_HEADER);
  const entry = {
    sequence: sequence + 1,
    timestamp: isSigned
      ? Number(call.headers.get(TIMESTAMP_HEADER))
      : Math.floor(now.getTime() / 1000),
    route: call.route,
    body_sha256: sha256(call.body),
    nonce: isSigned ? call.headers.get(NONCE_HEADER) : null,
  };
  const hashedEntry = { ...entry, hash: sha256(loggedCallText(previous, entry)) };
  await options.write({ call_log: [...log, hashedEntry].slice(-CALL_LOG_KEPT_MAX) });
}

/** Returns null if the panel does not support call logs or this site does not store the panel's public key. */
export function callLogReport(options: SiteOptions): CallLogReport | null {
  const { call_log: log, call_log_acknowledged: after, signing_key, panel_capabilities } = options;
  if (signing_key === null || !panel_capabilities.includes('call_log')) return null;
  const entries = log.filter(({ sequence }) => sequence > after).slice(0, CALL_LOG_REPORT_MAX);
  return { head: readHead(log), after, entries };
}

function readHead(log: SiteOptions['call_log']): CallLogReport['head'] {
  const { sequence, hash } = log.at(-1) ?? { sequence: 0, hash: CALL_LOG_START };
  return { sequence, hash };
}
