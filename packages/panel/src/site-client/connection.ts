import type { LookupAddress } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import type { SiteLookup } from '../platform/site-addresses.ts';

/** The external dependencies of a connection. */
export type Network = {
  lookup: SiteLookup;
  mayConnectTo(address: string): boolean;
  connectMs: number;
};

/** Once `open`, a request may have been sent. */
export type ConnectionPhase = 'idle' | 'resolving' | 'connecting' | 'securing' | 'open';

/** A connection for one call. It opens once and is never reused. */
export type Connection = {
  phase(): ConnectionPhase;
  /** Hands an open socket to undici. */
  connect: buildConnector.connector;
  destroy(reason: Error): void;
};

export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

export class ConnectTimeoutError extends Error {
  override readonly name = 'ConnectTimeoutError';
}

/**
 * How long one of several addresses is tried before the next one. Node's default of 250 ms is too short
 * for distant sites.
 */
const ADDRESS_ATTEMPT_MS = 2000;
/** A site sends nothing for minutes during an update, and routers drop idle connections. */
const KEEP_ALIVE_MS = 30_000;

export function createConnection(network: Network): Connection {
  let phase: ConnectionPhase = 'idle';
  let socket: Socket | undefined;

  /**
   * Resolves the name once; the socket connects to these addresses, which prevents DNS rebinding. A name
   * with public and private addresses, as with a half-configured IPv6, uses the public ones: refusing it
   * would not add protection.
   */
  async function resolveAllowed(hostname: string): Promise<LookupAddress[]> {
    const found = await network.lookup(hostname);
    const allowed = found.filter(({ address }) => network.mayConnectTo(address));
    if (found.length === 0) throw new Error('The host name has no address.');
    if (allowed.length === 0) throw new PrivateAddressError();
    phase = 'connecting';
    return allowed;
  }

  function open({ hostname, protocol, port }: buildConnector.Options): Socket {
    const options = {
      host: hostname,
      lookup: toLookupFunction(resolveAllowed),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    };
    if (protocol === 'http:') return connectTcp({ ...options, port: Number(port || 80) });
    return connectTls({
      ...options,
      port: Number(port || 443),
      // The host name, not the address: it selects the site and must be in the certificate.
      ...(isIP(hostname) === 0 && { servername: hostname }),
      ALPNProtocols: ['http/1.1'],
    });
  }

  return {
    phase: () => phase,

    connect(options, callback) {
      // A second connection would mean that undici retries the request on its own.
      if (phase !== 'idle') return callback(new Error('The connection is already used.'), null);
      const isAddress = isIP(options.hostname) !== 0;
      phase = isAddress ? 'connecting' : 'resolving';
      if (isAddress && !network.mayConnectTo(options.hostname)) {
        return callback(new PrivateAddressError(), null);
      }
      const startedAt = performance.now();
      const opened = open(options).setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
      socket = opened;
      const timer = setTimeout(() => opened.destroy(new ConnectTimeoutError()), network.connectMs);
      const isSecure = options.protocol === 'https:';
      if (isSecure) {
        opened.once('connect', () => {
          phase = 'securing';
        });
      }
      opened.once(isSecure ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer);
        // After the process was suspended, this event can precede the timer. Its lease may be over by
        // then, so it must not send the request.
        if (performance.now() - startedAt > network.connectMs) {
          return void opened.destroy(new ConnectTimeoutError());
        }
        phase = 'open';
        callback(null, opened);
      });
      // Never removed: a late error without a listener would end the process.
      opened.on('error', (error) => {
        clearTimeout(timer);
        if (phase !== 'open') callback(error, null);
      });
    },

    destroy: (reason) => void socket?.destroy(reason),
  };
}

/** Node requests either all addresses or one. */
function toLookupFunction(addressesOf: (name: string) => Promise<LookupAddress[]>): LookupFunction {
  return (hostname, { all }, callback) => {
    addressesOf(hostname).then(
      (addresses) => {
        // Outside the promise: an error thrown by the socket must not look like a failed lookup.
        if (all) process.nextTick(callback, null, addresses);
        else process.nextTick(callback, null, addresses[0]?.address, addresses[0]?.family);
      },
      (error) => process.nextTick(callback, error),
    );
  };
}
