import {
  focusManager,
  InfiniteQueryObserver,
  onlineManager,
  QueryClient,
} from '@tanstack/react-query';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sitesQuery } from './api.ts';

/** The search text of each request to the panel. */
let searches: (string | null)[];
beforeEach(() => {
  searches = [];
  vi.stubGlobal('fetch', async (path: string) => {
    searches.push(new URL(path, 'http://panel').searchParams.get('search'));
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

/** A list with this many pages, loaded long ago. */
function addStaleList(client: QueryClient, search: string, pages: number) {
  const list = sitesQuery({ search });
  const data = { pages: Array(pages).fill(PAGE), pageParams: Array(pages).fill(null) };
  client.setQueryData(list.queryKey, data, { updatedAt: 1 });
  return list;
}

function observe(client: QueryClient, list: ReturnType<typeof sitesQuery>) {
  onTestFinished(new InfiniteQueryObserver(client, list).subscribe(() => {}));
}

const EVENTS = {
  'the window gets the focus': () => {
    focusManager.setFocused(false);
    focusManager.setFocused(true);
  },
  'the connection is restored': () => {
    onlineManager.setOnline(false);
    onlineManager.setOnline(true);
  },
};

describe('sitesQuery', () => {
  it('reloads a short list when it is mounted, but not a long one', async () => {
    const client = newClient();
    observe(client, addStaleList(client, 'long', 4));
    observe(client, addStaleList(client, 'short', 3));
    await vi.waitUntil(() => searches.length >= 3 && client.isFetching() === 0);
    expect(searches).toEqual(['short', 'short', 'short']);
  });

  it('reloads a long list after a change', async () => {
    const client = newClient();
    const list = addStaleList(client, 'changed', 5);
    await client.invalidateQueries({ queryKey: ['sites'] });
    observe(client, list);
    await vi.waitUntil(() => searches.length >= 5 && client.isFetching() === 0);
    expect(searches).toHaveLength(5);
  });

  it.each(Object.entries(EVENTS))(
    'reloads a short list when %s, but not a long one',
    async (_name, trigger) => {
      const client = newClient();
      const [long, short] = [addStaleList(client, 'long', 4), addStaleList(client, 'short', 3)];
      // Without a reload on mount, only the event below can cause requests.
      for (const list of [long, short]) observe(client, { ...list, refetchOnMount: false });
      trigger();
      await vi.waitUntil(() => searches.length >= 3 && client.isFetching() === 0);
      expect(searches).toEqual(['short', 'short', 'short']);
    },
  );
});
