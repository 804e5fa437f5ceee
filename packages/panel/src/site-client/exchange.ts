import { Client, type Dispatcher } from 'undici';
import { type ConnectionPhase, createConnection, type Network } from './connection.ts';

export type ResponseBody = Dispatcher.ResponseData['body'];

/** Reads a body up to a size limit. */
export type BodyReader<Content> = {
  maxBytes: number;
  read(body: ResponseBody): Promise<Content>;
};

/** An HTTP response before it is classified. */
export type RawResponse<Content> = {
  httpStatus: number;
  /** The redirect target. */
  location: string | null;
  retryAfter: string | null;
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

/**
 * One request on its own connection. A site may close a reused connection while the panel sends the next
 * request, and then the panel cannot know whether the site received it.
 */
export type Exchange<Content> = {
  /** Sends a POST; if `body` is null, a GET. */
  send(headers: Record<string, string>, body: string | null): Promise<RawResponse<Content>>;
  progress(): ExchangeProgress;
  /** Destroys the socket; a pending `send` rejects with the reason. */
  end(reason: Error): void;
};

/** Sent by Cloudflare, AWS and Sucuri with a response of their own. */
const CHALLENGE_HEADERS = ['cf-mitigated', 'x-amzn-waf-action', 'x-sucuri-block'];

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
    // Off: the caller enforces one timeout for the whole call. The defaults would end an update after 5 minutes.
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
      const response = await client.request({ method, path, headers, body });
      httpStatus = response.statusCode;
      const isRedirect = httpStatus >= 300 && httpStatus < 400;
      return {
        httpStatus,
        location: firstOf(response.headers.location),
        retryAfter: firstOf(response.headers['retry-after']),
        isChallenge: CHALLENGE_HEADERS.some((name) => response.headers[name] !== undefined),
        certificateExpiresAt: connection.certificateExpiresAt(),
        content: isRedirect ? null : await read(response.body),
      };
    },

    end(reason) {
      connection.destroy(reason);
      // Ignored: the only request ends with the socket or was never sent.
      client.destroy(reason).catch(() => {});
    },
  };
}

function firstOf(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}
