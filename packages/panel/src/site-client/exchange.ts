import { Client, type Dispatcher } from 'undici';
import { type ConnectionPhase, createConnection, type Network } from './connection.ts';

export type AnswerBody = Dispatcher.ResponseData['body'];

/** How a body is read, and when it is cut off. */
export type BodyReader<Content> = {
  maxBytes: number;
  read(body: AnswerBody): Promise<Content>;
};

/** What came back over HTTP, not judged yet. */
export type RawAnswer<Content> = {
  httpStatus: number;
  /** Where it redirects to. */
  location: string | null;
  retryAfter: string | null;
  /** Null for a redirect. */
  content: Content | null;
};

/** How far it has come: what a fault means depends on that. */
export type ExchangeProgress = {
  phase: ConnectionPhase;
  /** Of an answer that has begun. */
  httpStatus: number | null;
};

/**
 * One request on a connection of its own. A connection that is kept might be closed by the site just
 * as the next request goes out, and then nobody could tell whether that one was received.
 */
export type Exchange<Content> = {
  /** A POST with a body, a GET without. */
  send(headers: Record<string, string>, body: string | null): Promise<RawAnswer<Content>>;
  progress(): ExchangeProgress;
  /** Lets go of the socket; whoever still waits for an answer gets the reason. */
  end(reason: Error): void;
};

export function openExchange<Content>(
  url: URL,
  network: Network,
  { maxBytes, read }: BodyReader<Content>,
): Exchange<Content> {
  const connection = createConnection(network);
  const client = new Client(url.origin, {
    connect: connection.connect,
    pipelining: 0,
    allowH2: false,
    // One limit for all of a call is kept outside; these would cut an update short after five minutes.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxBytes,
  });

  let httpStatus: number | null = null;

  return {
    progress: () => ({ phase: connection.phase(), httpStatus }),

    async send(headers, body) {
      const path = url.pathname + url.search;
      const method = body === null ? 'GET' : 'POST';
      const answer = await client.request({ method, path, headers, body });
      httpStatus = answer.statusCode;
      const isRedirect = httpStatus >= 300 && httpStatus < 400;
      return {
        httpStatus,
        location: firstOf(answer.headers.location),
        retryAfter: firstOf(answer.headers['retry-after']),
        content: isRedirect ? null : await read(answer.body),
      };
    },

    end(reason) {
      connection.abandon(reason);
      // It has nothing to report: its only request ends with the socket, or was never sent.
      client.destroy(reason).catch(() => {});
    },
  };
}

function firstOf(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}
