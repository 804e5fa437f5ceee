import { createTarget, siteClient, startTcpSite } from '@steward/testkit/sites/fake-sites.ts';
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.restoreAllMocks();
});

it('sends nothing over a connection that opens after its timeout, even before the timer fires', async () => {
  let received = 0;
  const site = await startTcpSite((socket) => void socket.on('data', () => received++));
  const now = performance.now.bind(performance);
  const client = siteClient({
    lookup: async () => {
      // The process was suspended: socket events arrive before the timer.
      vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
      return [{ address: '127.0.0.1', family: 4 }];
    },
  });
  const outcome = await client.sync(createTarget(`http://shop.example.com:${site.port}`));
  expect(outcome).toMatchObject({ kind: 'failed', sent: false, reason: 'connect' });
  expect(received).toBe(0);
});
