import {
  focusManager,
  InfiniteQueryObserver,
  onlineManager,
  QueryClient,
} from '@tanstack/react-query';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sitesQuery } from './api.ts';

/** What was searched for in each call to the panel. */
let asked: (string | null)[];
beforeEach(() => {
  asked = [];
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(new URL(path, 'http://panel').searchParams.get('search'));
    return Response.json(PAGE);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
});

const PAGE = { success: true as const, sites: [], next_cursor: 'next', total: null };

function newClient() {
  const client = new QueryClient();
  client.mount();
  onTestFinished(() => {
    client.unmount();
    client.clear();
  });
  return client;
}

/** A list of which so many pages were loaded, long ago. */
function loaded(client: QueryClient, search: string, pages: number) {
  const list = sitesQuery({ search });
  const data = { pages: Array(pages).fill(PAGE), pageParams: Array(pages).fill(null) };
  client.setQueryData(list.queryKey, data, { updatedAt: 1 });
  return list;
}

function lookAt(client: QueryClient, list: ReturnType<typeof sitesQuery>) {
  onTestFinished(new InfiniteQueryObserver(client, list).subscribe(() => {}));
}

const MOMENTS = {
  'the window is looked at again': () => {
    focusManager.setFocused(false);
    focusManager.setFocused(true);
  },
  'the connection is back': () => {
    onlineManager.setOnline(false);
    onlineManager.setOnline(true);
  },
};

describe('the list of sites', () => {
  it('is loaded again when somebody comes back to it, unless it is long', async () => {
    const client = newClient();
    lookAt(client, loaded(client, 'long', 4));
    lookAt(client, loaded(client, 'short', 3));
    await vi.waitUntil(() => asked.length >= 3 && client.isFetching() === 0);
    expect(asked).toEqual(['short', 'short', 'short']);
  });

  it('is loaded again however long it is, when something was changed meanwhile', async () => {
    const client = newClient();
    const list = loaded(client, 'changed', 5);
    await client.invalidateQueries({ queryKey: ['sites'] });
    lookAt(client, list);
    await vi.waitUntil(() => asked.length >= 5 && client.isFetching() === 0);
    expect(asked).toHaveLength(5);
  });

  it.each(Object.entries(MOMENTS))(
    'is loaded again when %s, unless it is long',
    async (...moment) => {
      const client = newClient();
      const [long, short] = [loaded(client, 'long', 4), loaded(client, 'short', 3)];
      // Not for being looked at: what is asked for below is asked for by the moment alone.
      for (const list of [long, short]) lookAt(client, { ...list, refetchOnMount: false });
      moment[1]();
      await vi.waitUntil(() => asked.length >= 3 && client.isFetching() === 0);
      expect(asked).toEqual(['short', 'short', 'short']);
    },
  );
});
