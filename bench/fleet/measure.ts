import { Agent, get } from 'node:http';

export type Percentiles = { p50: number; p95: number; p99: number };

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Returns the milliseconds from sending a request to the last byte of its response. */
export function timeRequest(url: string, cookie: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    get(url, { agent, headers: { cookie } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      response.resume().once('end', () => resolve(performance.now() - startedAt));
    }).once('error', reject);
  });
}

/** Returns the median, the 95th and the 99th percentile. */
export function percentiles(values: number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const valueAt = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: valueAt(0.5), p95: valueAt(0.95), p99: valueAt(0.99) };
}
