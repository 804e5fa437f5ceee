import { describe, expect, it } from 'vitest';
import type { WebhookRequest } from '../../site-client/post-webhook.ts';
import { composeMessage } from './compose-message.ts';
import { sendWebhook } from './send-webhook.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const message = composeMessage('test', [], { now: NOW, panelUrl: 'https://panel.example.com' });

/** Sends to a receiver that responds with this body, as a service in an internal network could. */
async function send(kind: 'slack' | 'webhook', httpStatus: number, body: string) {
  const requests: WebhookRequest[] = [];
  const post = async (request: WebhookRequest) => {
    requests.push(request);
    return { kind: 'responded', httpStatus, body } as const;
  };
  const target = { kind, url: 'https://hooks.example.com/x', secret: null };
  const { signal } = new AbortController();
  const result = await sendWebhook(post, target, message, { messageId: '1', now: NOW, signal });
  expect(requests).toHaveLength(1);
  return result;
}

describe('the result of a webhook', () => {
  it.each(['slack', 'webhook'] as const)('does not show the response body: %s', async (kind) => {
    for (const status of [200, 302, 404, 410, 500]) {
      const result = await send(kind, status, '{"access_key":"internal"}');
      expect([status, JSON.stringify(result)]).toEqual([
        status,
        expect.not.stringContaining('internal'),
      ]);
    }
  });

  it('shows the error code of Slack, which is one word', async () => {
    expect(await send('slack', 404, 'no_service')).toMatchObject({
      error: 'hooks.example.com responded with status 404 (no_service).',
    });
    expect(await send('webhook', 404, 'no_service')).toMatchObject({
      error: 'hooks.example.com responded with status 404.',
    });
  });
});
