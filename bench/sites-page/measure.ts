import { Agent, get } from 'node:http';

export type Times = { p50: number; p95: number };

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** From the first byte of a request to the last of its answer, in milliseconds. */
export function timeOf(url: string, cookie: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    get(url, { agent, headers: { cookie } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
      response.resume().once('end', () => resolve(performance.now() - began));
    }).once('error', reject);
  });
}

export function timesOf(values: number[]): Times {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}
