import { SERVICE_KEY_HEADER } from '@steward/contract';
import { BOUNDS } from '../platform/bounded-json.ts';
import { classifyResponse } from './classify-response.ts';
import type { Network } from './connection.ts';
import { diagnoseNotFound, withDiagnosis } from './diagnose-not-found.ts';
import { endpointOf, type SiteTarget } from './endpoint.ts';
import * as messages from './error-messages.ts';
import type { BodyReader } from './exchange.ts';
import { failed, type SiteOutcome } from './outcome.ts';
import type { ResponseReader } from './responses.ts';
import { JSON_HEADERS, loginHeader, sendRequest } from './send-request.ts';
import { buildSignatureHeaders, type CallSigner } from './sign-call.ts';

export type SiteCall<Body> = {
  target: SiteTarget;
  path: string;
  body: object;
  read: ResponseReader<Body>;
  /** The response may contain a token, so no message quotes it. */
  isSecret?: boolean;
  /** Timeout for the whole call, from the DNS lookup to the last byte of the response. */
  seconds: number;
  /** Any of these signals aborts the call. */
  signals: AbortSignal[];
};

const TEXT_READER: BodyReader<string> = {
  maxBytes: BOUNDS.bytes,
  read: (body) => body.text(),
};

export async function callSite<Body>(
  call: SiteCall<Body>,
  { network, signer }: { network: Network; signer: CallSigner },
): Promise<SiteOutcome<Body>> {
  const url = endpointOf(call.target, call.path);
  if (url === null) return failed('bad_address', { error: messages.badAddress, sent: false });
  const { serviceKey, siteUrl } = call.target;
  const { path, seconds, signals, isSecret = false } = call;
  const body = JSON.stringify(call.body);
  const headers = {
    ...(serviceKey !== '' && { [SERVICE_KEY_HEADER]: serviceKey }),
    ...(await buildSignatureHeaders({ siteUrl, path, body }, signer)),
    ...JSON_HEADERS,
    ...loginHeader(call.target),
  };
  const request = { headers, body, seconds, signals };
  const received = await sendRequest(url, request, TEXT_READER, network);
  if ('kind' in received) return received;
  const context = { url, siteUrl, serviceKey, body: call.body, read: call.read, isSecret };
  const outcome = classifyResponse(received, context);
  if (outcome.kind !== 'failed' || outcome.httpStatus !== 404) return outcome;
  const text = received.content ?? '';
  const explanation = await diagnoseNotFound({ target: call.target, text, signals }, network);
  return withDiagnosis(outcome, url.host, explanation);
}
