import type { LookupAddress } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import type { SiteLookup } from '../platform/site-addresses.ts';

/** What of the outside world a connection depends on. */
export type Network = {
  lookup: SiteLookup;
  mayConnectTo(address: string): boolean;
  connectMs: number;
};

/** How far it has come. Once `open`, a request may have left. */
export type ConnectionPhase = 'idle' | 'resolving' | 'connecting' | 'securing' | 'open';

/** A connection for one call: it can be opened once and is never used again. */
export type Connection = {
  phase(): ConnectionPhase;
  /** Hands an open socket to undici. */
  connect: buildConnector.connector;
  abandon(reason: Error): void;
};

export class NotPublicAddress extends Error {
  override readonly name = 'NotPublicAddress';
}

export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
}

/**
 * How long one of several addresses is tried before the next gets its turn as well. Node's own
 * quarter of a second gives up on sites at the other end of the world.
 */
const ADDRESS_ATTEMPT_MS = 2000;
/** During an update a site is silent for minutes; routers on the way forget a connection that is. */
const PROBE_AFTER_SILENCE_MS = 30_000;

export function createConnection(network: Network): Connection {
  let phase: ConnectionPhase = 'idle';
  let socket: Socket | undefined;

  /**
   * The one time the name is resolved. The socket tries these very addresses, so an answer of the DNS
   * that changes afterwards changes nothing. Where a name has public and other addresses, as with a
   * half-configured IPv6, the public ones are used: refusing would protect nothing more.
   */
  async function permittedAddresses(hostname: string): Promise<LookupAddress[]> {
    const found = await network.lookup(hostname);
    const permitted = found.filter(({ address }) => network.mayConnectTo(address));
    if (found.length === 0) throw new Error('The name has no address.');
    if (permitted.length === 0) throw new NotPublicAddress();
    phase = 'connecting';
    return permitted;
  }

  function open({ hostname, protocol, port }: buildConnector.Options): Socket {
    const options = {
      host: hostname,
      lookup: asLookupFunction(permittedAddresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    };
    if (protocol === 'http:') return connectTcp({ ...options, port: Number(port || 80) });
    return connectTls({
      ...options,
      port: Number(port || 443),
      // The name the person knows, not the address: it chooses the site and must be in the certificate.
      ...(isIP(hostname) === 0 && { servername: hostname }),
      ALPNProtocols: ['http/1.1'],
    });
  }

  return {
    phase: () => phase,

    connect(options, callback) {
      // A second connection would mean that a request is sent again behind our back.
      if (phase !== 'idle') return callback(new Error('The connection is used up.'), null);
      const isAddress = isIP(options.hostname) !== 0;
      phase = isAddress ? 'connecting' : 'resolving';
      if (isAddress && !network.mayConnectTo(options.hostname)) {
        return callback(new NotPublicAddress(), null);
      }
      const startedAt = performance.now();
      const opened = open(options).setNoDelay(true).setKeepAlive(true, PROBE_AFTER_SILENCE_MS);
      socket = opened;
      const timer = setTimeout(() => opened.destroy(new ConnectTimeout()), network.connectMs);
      const isSecure = options.protocol === 'https:';
      if (isSecure) {
        opened.once('connect', () => {
          phase = 'securing';
        });
      }
      opened.once(isSecure ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer);
        // After a process has stood still, this can come before the timer: what was to be sent then
        // may not be this process's to send any more.
        if (performance.now() - startedAt > network.connectMs) {
          return void opened.destroy(new ConnectTimeout());
        }
        phase = 'open';
        callback(null, opened);
      });
      // Stays for good: an error that comes when nobody waits any more must not end the process.
      opened.on('error', (error) => {
        clearTimeout(timer);
        if (phase !== 'open') callback(error, null);
      });
    },

    abandon: (reason) => void socket?.destroy(reason),
  };
}

/** Node asks in two ways: for all addresses, or for one. */
function asLookupFunction(addressesOf: (name: string) => Promise<LookupAddress[]>): LookupFunction {
  return (hostname, { all }, callback) => {
    addressesOf(hostname).then(
      (addresses) => {
        // Outside the promise: what the socket throws in there must not look like a failed lookup.
        if (all) process.nextTick(callback, null, addresses);
        else process.nextTick(callback, null, addresses[0]?.address, addresses[0]?.family);
      },
      (error) => process.nextTick(callback, error),
    );
  };
}
