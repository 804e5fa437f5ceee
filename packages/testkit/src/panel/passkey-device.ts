import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

type Options = { challenge: string; rpId?: string; rp?: { id?: string } };
type Faults = { origin?: string; isUserVerified?: boolean };

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/**
 * A fake security key for tests of the panel. It creates one passkey and signs with it (WebAuthn, ES256, no
 * attestation). The browser tests use Chromium's virtual authenticator instead.
 */
export function passkeyDevice(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const credentialId = randomBytes(16);
  const id = credentialId.toString('base64url');
  let counter = 0;

  const createClientData = (
    type: string,
    { challenge }: Options,
    { origin: other = origin }: Faults,
  ) => Buffer.from(JSON.stringify({ type, challenge, origin: other, crossOrigin: false }));

  function createAuthenticatorData(
    rpId: string,
    flags: number,
    credential = Buffer.alloc(0),
  ): Buffer {
    const head = Buffer.alloc(37);
    createHash('sha256').update(rpId).digest().copy(head);
    head[32] = flags;
    head.writeUInt32BE(counter, 33);
    return Buffer.concat([head, credential]);
  }

  return {
    id,
    /** Returns the result of `navigator.credentials.create()`. */
    create(options: Options) {
      // COSE: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
      const key = Buffer.concat([
        Buffer.from('a5010203262001215820', 'hex'),
        Buffer.from(x, 'base64url'),
        Buffer.from('225820', 'hex'),
        Buffer.from(y, 'base64url'),
      ]);
      const length = Buffer.from([0, credentialId.length]);
      const credential = Buffer.concat([Buffer.alloc(16), length, credentialId, key]);
      const flags = USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL;
      const data = createAuthenticatorData(options.rp?.id ?? '', flags, credential);
      // CBOR: {"fmt": "none", "attStmt": {}, "authData": data}
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
        Buffer.from([data.length]),
        data,
      ]);
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: createClientData('webauthn.create', options, {}).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    /** Returns the result of `navigator.credentials.get()`. */
    get(options: Options, faults: Faults = {}) {
      counter += 1;
      const flags = USER_PRESENT | (faults.isUserVerified === false ? 0 : USER_VERIFIED);
      const data = createAuthenticatorData(options.rpId ?? '', flags);
      const client = createClientData('webauthn.get', options, faults);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
        },
      };
    },
  };
}
