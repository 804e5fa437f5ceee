import { Client, type Dispatcher } from 'undici';
import {
  type Connection,
  type ConnectionPhase,
  createConnection,
  type Network,
} from './connection.ts';

export type ResponseBody = Dispatcher.ResponseData['body'];

/** Reads a body up to a size limit. */
export type BodyReader<Content> = {
  maxBytes: number;
  read(body: ResponseBody): Promise<Content>;
};

/** Reads the start of a body and ignores the rest. Leaving the loop closes the connection, so a huge response costs little. */
export function createStartReader(maxCharacters: number): BodyReader<string> {
  return {
    // Turns off the limit of undici, which would fail for a large body.
    maxBytes: -1,
    async read(body) {
      let text = '';
      for await (const chunk of body.setEncoding('utf8')) {
        text += chunk;
        if (text.length >= maxCharacters) break;
      }
      return text.slice(0, maxCharacters);
    },
  };
}

/** An HTTP response before it is classified. */
export type RawResponse<Content> = {
  httpStatus: number;
  /** The redirect target. */
  location: string | null;
  retryAfter: string | null;
  /** The `Link` header. */
  link: string | null;
  /** The time of the site, as it states it. */
  date: string | null;
  /** A firewall in front of the site, such as Cloudflare, responded with a challenge. */
  isChallenge: boolean;
  certificateExpiresAt: Date | null;
  /** Null for a redirect, whose body is not read. */
  content: Content | null;
};

/** The progress of a call, which determines the meaning of an error. */
export type ExchangeProgress = {
  phase: ConnectionPhase;
  /** Set once the response has started. */
  httpStatus: number | null;
};

/** One request. */
export type Exchange<Content> = {
  /** Sends a POST; if `body` is null, a GET. */
  send(headers: Record<string, string>, body: string | null): Promise<RawResponse<Content>>;
  progress(): ExchangeProgress;
  /** Whether an earlier request used the connection: the site may have closed it meanwhile. */
  isReused: boolean;
  /** Ends the request. With a reason, a pending `send` rejects with it. */
  end(reason?: Error): void;
};

/**
 * Keeps the connection of a request for the next one to the same origin. Only for requests that may be repeated: a site may
 * close the connection while the panel sends the next request, and then the panel cannot know whether the site received it.
 */
export type KeptConnection = { line: Line | null };

type Line = { origin: string; maxBytes: number; client: Client; connection: Connection };

/** Sent by Cloudflare, AWS and Sucuri with a response of their own. */
const CHALLENGE_HEADERS = ['cf-mitigated', 'x-amzn-waf-action', 'x-sucuri-block'];
/** Created once: Node.js reads the stack of an error that ends a socket, which takes longer than to send a request. */
const FINISHED = new Error('Call finished.');

export function openExchange<Content>(
  url: URL,
  network: Network,
  { maxBytes, read }: BodyReader<Content>,
  kept?: KeptConnection,
): Exchange<Content> {
  const reused = kept?.line?.origin === url.origin && kept.line.maxBytes === maxBytes;
  const line = (reused && kept.line) || openLine(url.origin, network, maxBytes);
  if (reused) kept.line = null;
  let httpStatus: number | null = null;
  let isKept = false;

  return {
    isReused: reused,

    progress: () => ({ phase: line.connection.phase(), httpStatus }),

    async send(headers, body) {
      const path = url.pathname + url.search;
      const method = body === null ? 'GET' : 'POST';
      const response = await line.client.request({ method, path, headers, body });
      httpStatus = response.statusCode;
      const isRedirect = httpStatus >= 300 && httpStatus < 400;
      const content = isRedirect ? null : await read(response.body);
      const staysOpen = response.headers.connection !== 'close' && response.body.readableEnded;
      isKept = kept !== undefined && staysOpen;
      return {
        httpStatus,
        location: firstOf(response.headers.location),
        retryAfter: firstOf(response.headers['retry-after']),
        link: [response.headers.link ?? []].flat().join(', ') || null,
        date: firstOf(response.headers.date),
        isChallenge: CHALLENGE_HEADERS.some((name) => response.headers[name] !== undefined),
        certificateExpiresAt: line.connection.certificateExpiresAt(),
        content,
      };
    },

    end(reason) {
      if (!isKept || !kept || reason) return closeLine(line, reason);
      closeKept(kept);
      kept.line = line;
    },
  };
}

export function closeKept(kept: KeptConnection): void {
  if (kept.line) closeLine(kept.line);
  kept.line = null;
}

function openLine(origin: string, network: Network, maxBytes: number): Line {
  const connection = createConnection(network);
  const client = new Client(origin, {
    connect: connection.connect,
    allowH2: false,
    // Off: the caller enforces one timeout for the whole call. The defaults would end an update after 5 minutes.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxBytes,
  });
  return { origin, maxBytes, client, connection };
}

function closeLine({ connection, client }: Line, reason = FINISHED): void {
  connection.destroy(reason);
  // Ignored: the only request ends with the socket or was never sent.
  client.destroy(reason).catch(() => {});
}

function firstOf(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}
