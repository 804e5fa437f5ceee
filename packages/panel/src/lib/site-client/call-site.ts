import { SERVICE_KEY_HEADER } from '@steward/contract';
import packageJson from '../../../package.json' with { type: 'json' };
import type { AnswerReader } from './answers.ts';
import type { Network } from './connection.ts';
import { endpointOf, type SiteTarget } from './endpoint.ts';
import { openExchange, type RawAnswer } from './exchange.ts';
import { judgeAnswer } from './judge-answer.ts';
import { judgeFault } from './judge-fault.ts';
import { type Failed, failed, type SiteOutcome } from './outcome.ts';
import * as sentences from './sentences.ts';

export type SiteCall<Body> = {
  target: SiteTarget;
  path: string;
  body: object;
  read: AnswerReader<Body>;
  /** For everything, from the name to the last byte of the answer. */
  seconds: number;
  /** Any of them ends the call. */
  signals: AbortSignal[];
};

const USER_AGENT = `Steward/${packageJson.version}`;

export async function callSite<Body>(
  call: SiteCall<Body>,
  network: Network,
): Promise<SiteOutcome<Body>> {
  const url = endpointOf(call.target, call.path);
  if (url === null) return failed('bad_address', { error: sentences.badAddress, sent: false });
  const received = await receive(call, url, network);
  if ('kind' in received) return received;
  const { serviceKey } = call.target;
  return judgeAnswer(received, { url, serviceKey, body: call.body, read: call.read });
}

async function receive(
  { target, body, seconds, signals }: SiteCall<unknown>,
  url: URL,
  network: Network,
): Promise<RawAnswer | Failed> {
  if (signals.some(({ aborted }) => aborted)) {
    return failed('stopped', { error: sentences.stopped(false), sent: false });
  }
  const exchange = openExchange(url, network);
  let endedBy: 'timeout' | 'stopped' | null = null;
  const end = (by: typeof endedBy) => {
    endedBy = by;
    exchange.end(new Error('The call was ended.'));
  };
  const timer = setTimeout(() => end('timeout'), seconds * 1000);
  const onAbort = () => end('stopped');
  for (const signal of signals) signal.addEventListener('abort', onAbort);
  try {
    return await exchange.post(headersFor(target), JSON.stringify(body));
  } catch (error) {
    const progress = exchange.progress();
    const facts = { sent: progress.phase === 'open', httpStatus: progress.httpStatus };
    if (endedBy === 'stopped') {
      return failed('stopped', { ...facts, error: sentences.stopped(facts.sent) });
    }
    if (endedBy === 'timeout') {
      return failed('timeout', {
        ...facts,
        error: sentences.tooSlow(url.host, seconds, facts.sent),
      });
    }
    // Before anything was tried it can only be a mistake of ours.
    if (progress.phase === 'idle') throw error;
    return judgeFault(error as Error, progress, url.host);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', onAbort);
    exchange.end(new Error('The call is over.'));
  }
}

function headersFor({ serviceKey }: SiteTarget): Record<string, string> {
  return {
    [SERVICE_KEY_HEADER]: serviceKey,
    'content-type': 'application/json',
    accept: 'application/json',
    // What is not compressed cannot unpack to more than its limit.
    'accept-encoding': 'identity',
    'user-agent': USER_AGENT,
  };
}
