import { load, loadAtRate, type RequestSource } from '../load.ts';
import type { Server } from './servers.ts';

export const ROUNDS = Number(process.env.ROUNDS ?? 5);
export const SECONDS = Number(process.env.SECONDS ?? 1.5);
export const CONNECTIONS = (process.env.CONNECTIONS ?? '16,64,200').split(',').map(Number);
/** Rates rise until the JIT compiler has optimised each server. */
const WARM_UP_SECONDS = Math.min(5, SECONDS * 3);

/** A server with the requests that it receives. */
export type Subject = {
  server: Server;
  sources: (connections: number) => RequestSource[];
};

export async function warmUp(subjects: Subject[]): Promise<void> {
  const connections = Math.max(...CONNECTIONS);
  for (const subject of subjects) await measureRate(subject, connections, WARM_UP_SECONDS);
}

/** Returns the requests per second. */
export async function measureRate(
  { server, sources }: Subject,
  connections: number,
  seconds = SECONDS,
): Promise<number> {
  const { ports } = server;
  const result = await load({ ports, seconds, sources: sources(connections) });
  assertNoFailures(result.failures);
  return result.requests / result.seconds;
}

/** Returns the 99th percentile of the response time in milliseconds. */
export async function measureP99(
  { server, sources }: Subject,
  connections: number,
  perSecond: number,
): Promise<number> {
  const { ports } = server;
  const result = await loadAtRate({ ports, seconds: SECONDS, perSecond, sources: sources(connections) });
  assertNoFailures(result.failures);
  return result.p99Ms;
}

function assertNoFailures(failures: string[]): void {
  if (failures.length > 0) throw new Error(`${failures.length} requests failed: ${failures[0]}`);
}

/**
 * Measures all subjects in turn, in each round. Returns the rates of each subject, per number of connections, in the
 * order of the rounds.
 */
export async function measureInTurn<Name extends string>(
  subjects: Record<Name, Subject>,
  connectionCounts = CONNECTIONS,
): Promise<RatesByName<Name>> {
  const names = Object.keys(subjects) as Name[];
  const rates = new RatesByName<Name>();
  for (let round = 1; round <= ROUNDS; round++) {
    for (const connections of connectionCounts) {
      for (const name of names) {
        rates.add(name, connections, await measureRate(subjects[name], connections));
      }
      const line = names.map((name) => `${name} ${Math.round(rates.last(name, connections))}/s`);
      process.stdout.write(`round ${round}, ${connections} connections: ${line.join(', ')}\n`);
    }
  }
  return rates;
}

export class RatesByName<Name extends string> {
  readonly #rates = new Map<string, number[]>();

  add(name: Name, connections: number, rate: number): void {
    this.#rates.set(key(name, connections), [...this.of(name, connections), rate]);
  }

  of(name: Name, connections: number): number[] {
    return this.#rates.get(key(name, connections)) ?? [];
  }

  last(name: Name, connections: number): number {
    return this.of(name, connections).at(-1) ?? 0;
  }
}

const key = (name: string, connections: number) => `${name} ${connections}`;
