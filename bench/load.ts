import { connect, type Socket } from 'node:net';

/**
 * A load generator that takes as little of the machine as it can: on two cores a heavier one would
 * measure itself. Each connection sends its own requests in turn, one at a time, over and over.
 */
export type LoadResult = { requests: number; seconds: number; failures: number };

type LoadOptions = {
  port: number;
  seconds: number /** For each connection its requests. */;
  requests: Buffer[][];
};

const HEADER_END = Buffer.from('\r\n\r\n');

export function postRequest(path: string, body: string): Buffer {
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

export async function load({ port, seconds, requests }: LoadOptions): Promise<LoadResult> {
  const started = performance.now();
  const endsAt = started + seconds * 1000;
  const tallies = await Promise.all(requests.map((mine) => runConnection(port, mine, endsAt)));
  return {
    requests: tallies.reduce((sum, tally) => sum + tally.answers, 0),
    failures: tallies.reduce((sum, tally) => sum + tally.failures, 0),
    seconds: (performance.now() - started) / 1000,
  };
}

function runConnection(port: number, requests: Buffer[], endsAt: number) {
  return new Promise<{ answers: number; failures: number }>((resolve, reject) => {
    const tally = { answers: 0, failures: 0 };
    let sent = 0;
    let received: Buffer = Buffer.alloc(0);
    const socket: Socket = connect(port, '127.0.0.1').setNoDelay(true);
    const sendNext = () => socket.write(requests[sent++ % requests.length] ?? '');
    socket.once('connect', sendNext).once('error', reject);
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const length = answerLength(received);
      if (length === null || received.length < length) return;
      tally.answers++;
      if (received.toString('latin1', 9, 12) !== '200') tally.failures++;
      received = received.subarray(length);
      if (performance.now() < endsAt) return sendNext();
      socket.end();
      resolve(tally);
    });
  });
}

/** Null while the head of the answer is not complete. */
function answerLength(received: Buffer): number | null {
  const headEnd = received.indexOf(HEADER_END);
  if (headEnd < 0) return null;
  const head = received.toString('latin1', 0, headEnd);
  const at = head.toLowerCase().indexOf('content-length: ');
  return (
    headEnd + HEADER_END.length + Number.parseInt(head.slice(at + 'content-length: '.length), 10)
  );
}
