import type { ChannelKind } from '@steward/contract';
import { Webhook } from 'standardwebhooks';
import type { PostWebhook } from '../../site-client/index.ts';
import { type Message, toSlackBody, toWebhookBody } from './compose-message.ts';
import type { SendResult } from './send-result.ts';

type WebhookTarget = { kind: ChannelKind; url: string; secret: string | null };

type Options = { messageId: string; now: Date; signal: AbortSignal };

const TIMEOUT_SECONDS = 15;

/** Sends a message to Slack, or to a webhook with a signature of Standard Webhooks 1.0. */
export async function sendWebhook(
  post: PostWebhook,
  { kind, url: text, secret }: WebhookTarget,
  message: Message,
  { messageId, now, signal }: Options,
): Promise<SendResult> {
  const url = new URL(text);
  const body = kind === 'slack' ? toSlackBody(message) : toWebhookBody(message);
  const headers = secret === null ? {} : signatureHeaders(secret, `msg_${messageId}`, now, body);
  const request = { url, headers, body, seconds: TIMEOUT_SECONDS, signals: [signal] };
  const response = await post(request);
  if (response.kind === 'responded') return classifyStatus(response, url.host, kind);
  if (response.reason === 'stopped') return { kind: 'stopped' };
  const isFinal = response.reason === 'private_address';
  return { kind: 'failed', error: explain(response.reason, url.host), httpStatus: null, isFinal };
}

function signatureHeaders(secret: string, id: string, now: Date, body: string) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, now, body),
  };
}

function classifyStatus(
  { httpStatus, body }: { httpStatus: number; body: string },
  host: string,
  kind: ChannelKind,
): SendResult {
  if (httpStatus >= 200 && httpStatus < 300) return { kind: 'delivered', httpStatus };
  const failure = { kind: 'failed' as const, httpStatus, isFinal: false };
  if (httpStatus === 410) {
    const error = `${host} responded with status 410: it wants no further messages. The channel was turned off.`;
    return { ...failure, error, isFinal: true, isGone: true };
  }
  if (httpStatus >= 300 && httpStatus < 400) {
    const error = `${host} redirects elsewhere, and Steward follows no redirects. Enter the final URL.`;
    return { ...failure, error };
  }
  // Slack names the reason in a word, such as no_service. Other bodies are not stored: they may repeat a secret.
  const word = kind === 'slack' && /^[a-z_]{3,40}$/.test(body.trim()) ? ` (${body.trim()})` : '';
  return { ...failure, error: `${host} responded with status ${httpStatus}${word}.` };
}

function explain(reason: string, host: string): string {
  switch (reason) {
    case 'private_address':
      return `Private address blocked: ${host}. To allow private addresses, set ALLOW_PRIVATE_SITES=true.`;
    case 'dns':
      return `Could not resolve ${host}. Check the URL of the channel.`;
    case 'tls':
      return `Could not open a secure connection to ${host}. Check its certificate.`;
    case 'timeout':
      return `${host} did not respond within ${TIMEOUT_SECONDS} seconds.`;
    case 'connect':
      return `Could not connect to ${host}.`;
    default:
      return `${host} did not send a valid HTTP response.`;
  }
}
