import type { SignalObservation, SiteObservation } from '@steward/contract';
import { getMeter } from '../platform/telemetry/meter.ts';
import { inSpan } from '../platform/telemetry/tracing.ts';
import type { SiteOutcome } from './outcome.ts';

export type SiteCallKind =
  | 'update'
  | 'install'
  | 'restore'
  | 'self_update'
  | 'plugin_action'
  | 'sync'
  | 'probe'
  | 'page_check'
  | 'observation'
  | 'verdict'
  | 'proof'
  | 'check_in'
  | 'login_users'
  | 'login';

export type CallResult = SiteOutcome<unknown> | SignalObservation | SiteObservation | null;
type Outcome = {
  outcome: 'answered' | 'refused' | 'busy' | 'failed' | 'stopped';
  /** Of a failed call only: a site chooses the code of a refusal, so it must not become a label. */
  code: string;
};

/** Counts the call and opens a span for it. The request itself contains no trace id: sites belong to third parties. */
export async function measureCall<Result extends CallResult>(
  { kind, siteUrl }: { kind: SiteCallKind; siteUrl: string },
  send: () => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  getMeter()?.siteCallStarted();
  // An error here is a bug in the panel.
  let ended: Outcome = { outcome: 'failed', code: 'internal_error' };
  const attributes = { 'steward.call': kind, 'server.address': URL.parse(siteUrl)?.hostname ?? '' };
  try {
    return await inSpan(`site ${kind}`, { kind: 'client', attributes }, async (span) => {
      const result = await send();
      ended = describe(result);
      span.setAttributes({ 'steward.outcome': ended.outcome });
      if (ended.code) span.fail(ended.code);
      return result;
    });
  } finally {
    const seconds = (performance.now() - startedAt) / 1000;
    getMeter()?.siteCallEnded(kind, ended.outcome, ended.code, seconds);
  }
}

function describe(result: CallResult): Outcome {
  if (result === null) return { outcome: 'stopped', code: '' };
  if ('home' in result) return describeError(result.home.error ?? result.application.error);
  if ('obstacle' in result) return describeError(result.error);
  switch (result.kind) {
    case 'failed':
      if (result.reason === 'stopped') return { outcome: 'stopped', code: '' };
      return { outcome: 'failed', code: result.code };
    default:
      return { outcome: result.kind, code: '' };
  }
}

const describeError = (error: SignalObservation['error']): Outcome =>
  error ? { outcome: 'failed', code: error } : { outcome: 'answered', code: '' };
