import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type LoadResult = {
  /** The number of responses. */
  requests: number;
  seconds: number;
  /** Responses with a status other than 200. */
  failures: string[];
  p50Ms: number;
  p99Ms: number;
};

/** Returns the next request of a connection. */
export type RequestSource = () => Buffer;

type LoadOptions = {
  /** Connections are distributed over these ports in turn. */
  ports: number[];
  seconds: number;
  /** One source per connection. */
  sources: RequestSource[];
};

const HEADER_END = Buffer.from('\r\n\r\n');
const TICK_MS = 1;

export function postRequest(path: string, body: string): Buffer {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Sends the same requests in a loop. */
export function cycle(requests: Buffer[]): RequestSource {
  let sent = 0;
  return () => requests[sent++ % requests.length] ?? Buffer.alloc(0);
}

/**
 * Measures the highest rate (closed loop): each connection sends its next request when it has the response to the last
 * one. Raw sockets keep the overhead low: on two cores a heavier load generator would slow down the server that it
 * measures.
 */
export async function load({ ports, seconds, sources }: LoadOptions): Promise<LoadResult> {
  const connections = await openConnections(ports, sources.length);
  const tally = new Tally();
  const endsAt = performance.now() + seconds * 1000;
  await Promise.all(
    connections.map(async (connection, index) => {
      const next = sources[index] as RequestSource;
      while (performance.now() < endsAt) {
        const sentAt = performance.now();
        tally.add(await connection.send(next()), performance.now() - sentAt);
      }
    }),
  );
  for (const connection of connections) connection.close();
  return tally.summarize();
}

/**
 * Measures response times at a fixed rate (open loop). A request that finds all connections busy waits, and its
 * response time contains this wait.
 */
export async function loadAtRate({
  ports,
  seconds,
  sources,
  perSecond,
}: LoadOptions & { perSecond: number }): Promise<LoadResult> {
  const connections = await openConnections(ports, sources.length);
  const idle = connections.map((connection, index) => ({
    connection,
    next: sources[index] as RequestSource,
  }));
  const waiting: number[] = [];
  const tally = new Tally();
  const open = new Set<Promise<void>>();

  const sendWaiting = () => {
    while (waiting.length > 0 && idle.length > 0) {
      const dueAt = waiting.shift() as number;
      const free = idle.shift() as (typeof idle)[number];
      const sending = free.connection.send(free.next()).then((response) => {
        tally.add(response, performance.now() - dueAt);
        idle.push(free);
        open.delete(sending);
        sendWaiting();
      });
      open.add(sending);
    }
  };
  const startedAt = performance.now();
  let due = 0;
  for (let elapsed = 0; elapsed < seconds * 1000; elapsed = performance.now() - startedAt) {
    for (; due < (elapsed * perSecond) / 1000; due++) waiting.push(performance.now());
    sendWaiting();
    await sleep(TICK_MS);
  }
  while (open.size > 0) await Promise.all(open);
  for (const connection of connections) connection.close();
  return tally.summarize();
}

class Tally {
  readonly #startedAt = performance.now();
  readonly #responseMs: number[] = [];
  readonly #failures: string[] = [];

  add(response: Buffer, ms: number): void {
    this.#responseMs.push(ms);
    if (response.toString('latin1', 9, 12) !== '200') this.#failures.push(response.toString());
  }

  summarize(): LoadResult {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const sorted = Float64Array.from(this.#responseMs).sort();
    const percentile = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
    return {
      requests: sorted.length,
      seconds,
      failures: this.#failures,
      p50Ms: percentile(0.5),
      p99Ms: percentile(0.99),
    };
  }
}

type Connection = {
  /** Returns the response. */
  send(request: Buffer): Promise<Buffer>;
  close(): void;
};

function openConnections(ports: number[], count: number): Promise<Connection[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => openConnection(ports[index % ports.length] ?? 0)),
  );
}

function openConnection(port: number): Promise<Connection> {
  return new Promise((opened, failed) => {
    let received: Buffer = Buffer.alloc(0);
    let respond = (_response: Buffer) => {};
    let fail: (error: Error) => void = failed;
    const socket: Socket = connect(port, '127.0.0.1').setNoDelay(true);
    socket.on('error', (error) => fail(error));
    socket.on('close', () => fail(new Error('The server closed the connection.')));
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const length = readResponseLength(received);
      if (length === null || received.length < length) return;
      const response = received.subarray(0, length);
      received = received.subarray(length);
      respond(response);
    });
    const send = (request: Buffer) =>
      new Promise<Buffer>((resolve, reject) => {
        respond = resolve;
        fail = reject;
        socket.write(request);
      });
    const close = () => {
      fail = () => {};
      socket.end();
    };
    socket.once('connect', () => opened({ send, close }));
  });
}

/** Returns null while the header of the response is incomplete. */
function readResponseLength(received: Buffer): number | null {
  const headEnd = received.indexOf(HEADER_END);
  if (headEnd < 0) return null;
  const head = received.toString('latin1', 0, headEnd);
  const start = head.toLowerCase().indexOf('content-length: ');
  return (
    headEnd + HEADER_END.length + Number.parseInt(head.slice(start + 'content-length: '.length), 10)
  );
}
