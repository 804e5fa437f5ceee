import { connect, type Socket } from 'node:net';

/** `requests` counts responses, `failures` the responses with a status other than 200. */
export type LoadResult = { requests: number; seconds: number; failures: number };

type LoadOptions = {
  port: number;
  seconds: number;
  /** One list of requests per connection. */
  requests: Buffer[][];
};

const HEADER_END = Buffer.from('\r\n\r\n');

export function postRequest(path: string, body: string): Buffer {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/**
 * Generates load. Each connection sends its requests in a loop, one at a time. Raw sockets keep the overhead low: on
 * two cores a heavier load generator would slow down the server that it measures.
 */
export async function load({ port, seconds, requests }: LoadOptions): Promise<LoadResult> {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const tallies = await Promise.all(requests.map((list) => runConnection(port, list, endsAt)));
  return {
    requests: tallies.reduce((sum, tally) => sum + tally.responses, 0),
    failures: tallies.reduce((sum, tally) => sum + tally.failures, 0),
    seconds: (performance.now() - startedAt) / 1000,
  };
}

function runConnection(port: number, requests: Buffer[], endsAt: number) {
  return new Promise<{ responses: number; failures: number }>((resolve, reject) => {
    const tally = { responses: 0, failures: 0 };
    let sent = 0;
    let received: Buffer = Buffer.alloc(0);
    const socket: Socket = connect(port, '127.0.0.1').setNoDelay(true);
    const sendNext = () => socket.write(requests[sent++ % requests.length] ?? '');
    socket.once('connect', sendNext).once('error', reject);
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const length = readResponseLength(received);
      if (length === null || received.length < length) return;
      tally.responses++;
      if (received.toString('latin1', 9, 12) !== '200') tally.failures++;
      received = received.subarray(length);
      if (performance.now() < endsAt) return sendNext();
      socket.end();
      resolve(tally);
    });
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
