import { once } from 'node:events';
import { connect } from 'node:net';

const HEADER_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = 'content-length: ';

export type Connection = Awaited<ReturnType<typeof openConnection>>;

/** A connection that is kept alive, as from a reverse proxy. A raw socket, because the load uses the cores of the panel. */
export async function openConnection(port: number) {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  let received: Buffer = Buffer.alloc(0);
  let response = Promise.withResolvers<number>();
  socket.on('error', (error) => response.reject(error));
  socket.on('close', () => response.reject(new Error('The panel closed the connection.')));
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const length = readResponseLength(received);
    if (length === null || received.length < length) return;
    const status = Number(received.toString('latin1', 9, 12));
    received = received.subarray(length);
    response.resolve(status);
  });
  return {
    /** Sends a request and returns the status of its response. One request at a time. */
    post(path: string, body: string): Promise<number> {
      response = Promise.withResolvers<number>();
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      return response.promise;
    },
    close() {
      response.promise.catch(() => {});
      socket.destroy();
    },
  };
}

/** Returns null while the header of the response is incomplete. */
function readResponseLength(received: Buffer): number | null {
  const headEnd = received.indexOf(HEADER_END);
  if (headEnd < 0) return null;
  const head = received.toString('latin1', 0, headEnd).toLowerCase();
  const start = head.indexOf(CONTENT_LENGTH);
  if (start < 0) throw new Error('The panel sent a response without a length.');
  const length = Number.parseInt(head.slice(start + CONTENT_LENGTH.length), 10);
  return headEnd + HEADER_END.length + length;
}
