import { afterEach, describe, expect, it, vi } from 'vitest';
import { api } from './api.ts';

describe('api', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('reports a panel that cannot be reached', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(api('/panel/session')).rejects.toMatchObject({
      code: 'offline',
      message: 'Steward cannot be reached. Check your connection, then try again.',
    });
  });

  it('reports an error response without a message', async () => {
    vi.stubGlobal('fetch', async () => new Response('<html>', { status: 502 }));
    await expect(api('/panel/session')).rejects.toMatchObject({
      code: 'unreadable',
      message: 'Steward sent an unexpected response. Reload the page.',
    });
  });
});
