import type { LookupAddress } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
import type { SiteLookup } from '../platform/dns-overrides.ts';

/** The external dependencies of a connection. */
export type Network = {
  lookup: SiteLookup;
  mayConnectTo(address: string): boolean;
  connectMs: number;
};

/** From phase `open` on, the panel may have sent the request. */
export type ConnectionPhase = 'idle' | 'resolving' | 'connecting' | 'securing' | 'open';

/** A connection for one call. It opens once and is never reused. */
export type Connection = {
  phase(): ConnectionPhase;
  /** When the certificate of the site expires; null before the handshake and without TLS. */
  certificateExpiresAt(): Date | null;
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

/** Timeout before the next address of the host. The default of Node, 250 ms, is too short for distant sites. */
const ADDRESS_ATTEMPT_MS = 2000;
/** A site sends nothing for minutes during an update, and routers drop idle connections. */
const KEEP_ALIVE_MS = 30_000;

export function createConnection(network: Network): Connection {
  let phase: ConnectionPhase = 'idle';
  let socket: Socket | undefined;
  let certificateExpiresAt: Date | null = null;

  /**
   * Resolves the name once; the socket connects to these addresses, which prevents DNS rebinding. If a name
   * has public and private addresses, as with a half-configured IPv6, the call uses the public ones:
   * refusing the name would not add protection.
   */
  async function resolveAllowed(hostname: string): Promise<LookupAddress[]> {
    const addresses = await network.lookup(hostname);
    const allowed = addresses.filter(({ address }) => network.mayConnectTo(address));
    if (addresses.length === 0) throw new Error('The host name has no address.');
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
      // TLS needs the host name: it selects the site, and the certificate must contain it.
      ...(isIP(hostname) === 0 && { servername: hostname }),
      ALPNProtocols: ['http/1.1'],
    });
  }

  return {
    phase: () => phase,

    certificateExpiresAt: () => certificateExpiresAt,

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
        // If the process was suspended, this event can precede the timer. The lease may have expired by
        // then, so the process must not send the request.
        if (performance.now() - startedAt > network.connectMs) {
          return void opened.destroy(new ConnectTimeoutError());
        }
        phase = 'open';
        // Read now: a socket that the site has closed has no certificate.
        certificateExpiresAt = readCertificateExpiry(opened);
        callback(null, opened);
      });
      // This listener stays: a late error without a listener would end the process.
      opened.on('error', (error) => {
        clearTimeout(timer);
        if (phase !== 'open') callback(error, null);
      });
    },

    destroy: (reason) => void socket?.destroy(reason),
  };
}

function readCertificateExpiry(socket: Socket): Date | null {
  if (!(socket instanceof TLSSocket)) return null;
  const expiresAt = new Date(socket.getPeerCertificate().valid_to);
  return Number.isNaN(expiresAt.getTime()) ? null : expiresAt;
}

/** Adapts to the lookup of Node, which requests either all addresses or one. */
function toLookupFunction(resolve: (name: string) => Promise<LookupAddress[]>): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        // Called outside the promise: an error thrown by the socket must not look like a failed lookup.
        if (all) process.nextTick(callback, null, addresses);
        else process.nextTick(callback, null, addresses[0]?.address, addresses[0]?.family);
      },
      (error) => process.nextTick(callback, error),
    );
  };
}
