import { SERVICE_KEY_HEADER } from '@steward/contract';
import type { Panel } from '@steward/panel/program';
import { Agent, type Dispatcher } from 'undici';

type FloorOptions = {
  sites: number;
  concurrency: number;
  urlOf(index: number): string;
  key: string;
  pool: Panel['connection']['pool'];
};

/**
 * The least that a run needs: the requests of the panel to each site, with its observations, and one INSERT per result. No
 * queue, no limit per address, no signature, no retry.
 */
export async function runFloor({ sites, concurrency, urlOf, key, pool }: FloorOptions) {
  await pool.query('CREATE TABLE IF NOT EXISTS floor_results (site_id bigint, result jsonb)');
  const agent = new Agent({ pipelining: 1 });
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const waiting = Array.from({ length: sites }, (_, index) => index).values();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const index of waiting) {
        const before = await observe(agent, urlOf(index));
        const result = await update(agent, urlOf(index), key);
        const after = await observe(agent, urlOf(index));
        await pool.query('INSERT INTO floor_results VALUES ($1, $2)', [
          index,
          JSON.stringify({ before, result, after }),
        ]);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  await agent.close();
  await pool.query('DROP TABLE floor_results');
  return { seconds, cpuMs: (user + system) / 1000 };
}

/** The two pages that the panel loads of a site without a site key. */
async function observe(agent: Dispatcher, url: string) {
  const home = await request(agent, url, 'GET');
  const application = await request(agent, `${url}?steward_check=1`, 'GET');
  return { home: home.length, application: application.length };
}

async function update(agent: Dispatcher, url: string, key: string): Promise<unknown> {
  const headers = { [SERVICE_KEY_HEADER]: key, 'content-type': 'application/json' };
  const path = `${url}/cms-json/service/v1/remote/update`;
  return JSON.parse(await request(agent, path, 'POST', { headers, body: '{}' }));
}

async function request(
  agent: Dispatcher,
  url: string,
  method: 'GET' | 'POST',
  options: { headers?: Record<string, string>; body?: string } = {},
): Promise<string> {
  const { origin, pathname, search } = new URL(url);
  const response = await agent.request({ origin, path: pathname + search, method, ...options });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  return text;
}
