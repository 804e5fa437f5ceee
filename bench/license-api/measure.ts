import { load, loadAtRate, type RequestSource } from '../load.ts';
import type { Server } from './servers.ts';

export const ROUNDS = Number(process.env.ROUNDS ?? 5);
export const SECONDS = Number(process.env.SECONDS ?? 1);
export const CONNECTIONS = (process.env.CONNECTIONS ?? '16,64,200').split(',').map(Number);
/** Rates rise until the JIT compiler has optimised each server. */
const WARM_UP_SECONDS = SECONDS < 1 ? SECONDS * 3 : 6;

/** A server with the requests that it receives. */
export type Subject = {
  server: Server;
  sources: (connections: number) => RequestSource[];
};

export async function warmUp(subjects: Subject[]): Promise<void> {
  const connections = Math.max(...CONNECTIONS);
  for (const subject of subjects) await measureRate(subject, connections, WARM_UP_SECONDS);
}

type Measured = {
  perSecond: number;
  /** The CPU time of the server and the database per request, in microseconds. */
  cpuMicros: number;
};

async function measureRate(
  { server, sources }: Subject,
  connections: number,
  seconds = SECONDS,
): Promise<Measured> {
  const { ports } = server;
  const cpuBefore = server.readCpuMs();
  const result = await load({ ports, seconds, sources: sources(connections) });
  assertNoFailures(result.failures);
  return {
    perSecond: result.requests / result.seconds,
    cpuMicros: ((server.readCpuMs() - cpuBefore) * 1000) / result.requests,
  };
}

/** Returns the 99th percentile of the response time in milliseconds. */
export async function measureP99(
  { server, sources }: Subject,
  connections: number,
  perSecond: number,
): Promise<number> {
  const { ports } = server;
  const result = await loadAtRate({
    ports,
    seconds: SECONDS,
    perSecond,
    sources: sources(connections),
  });
  assertNoFailures(result.failures);
  return result.p99Ms;
}

function assertNoFailures(failures: string[]): void {
  if (failures.length > 0) throw new Error(`${failures.length} requests failed: ${failures[0]}`);
}

/** Measures all subjects in turn, in each round. */
export async function measureInTurn<Name extends string>(
  subjects: Record<Name, Subject>,
  connectionCounts = CONNECTIONS,
): Promise<Results<Name>> {
  const names = Object.keys(subjects) as Name[];
  const results = new Results<Name>();
  for (let round = 1; round <= ROUNDS; round++) {
    for (const connections of connectionCounts) {
      const line: string[] = [];
      for (const name of names) {
        const measured = await measureRate(subjects[name], connections);
        results.add(name, connections, measured);
        line.push(`${name} ${Math.round(measured.perSecond)}/s`);
      }
      process.stdout.write(`round ${round}, ${connections} connections: ${line.join(', ')}\n`);
    }
  }
  return results;
}

/** What was measured for each subject and number of connections, in the order of the rounds. */
export class Results<Name extends string> {
  readonly #measured = new Map<string, Measured[]>();

  add(name: Name, connections: number, measured: Measured): void {
    const key = `${name} ${connections}`;
    this.#measured.set(key, [...(this.#measured.get(key) ?? []), measured]);
  }

  rates(name: Name, connections: number): number[] {
    return this.#of(name, connections).map(({ perSecond }) => perSecond);
  }

  cpuMicros(name: Name, connections: number): number[] {
    return this.#of(name, connections).map(({ cpuMicros }) => cpuMicros);
  }

  #of(name: Name, connections: number): Measured[] {
    return this.#measured.get(`${name} ${connections}`) ?? [];
  }
}
