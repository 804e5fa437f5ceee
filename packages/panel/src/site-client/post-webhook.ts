import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../platform/config.ts';
import { createSiteLookup } from '../platform/dns-overrides.ts';
import type { Network } from './connection.ts';
import { createStartReader } from './exchange.ts';
import type { Failed } from './outcome.ts';
import { isPublicAddress } from './public-address.ts';
import { sendRequest } from './send-request.ts';

export type WebhookRequest = {
  url: URL;
  headers: Record<string, string>;
  body: string;
  seconds: number;
  signals: AbortSignal[];
};

/** `body`: the first characters of the response. */
export type WebhookResponse = { kind: 'responded'; httpStatus: number; body: string };

export type PostWebhook = (request: WebhookRequest) => Promise<WebhookResponse | Failed>;

const RESPONSE_READER = createStartReader(2000);

/** Posts to URLs that users entered, with the same rules for addresses as calls to sites. Follows no redirect. */
export function createWebhookClient(
  config: Pick<Config, 'allowPrivateSites' | 'siteAddresses' | 'siteTimeouts'>,
): PostWebhook {
  const network: Network = {
    lookup: createSiteLookup(config.siteAddresses),
    mayConnectTo: config.allowPrivateSites ? () => true : isPublicAddress,
    connectMs: config.siteTimeouts.connectSeconds * 1000,
  };
  return async ({ url, headers, ...request }) => {
    const allHeaders = {
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'user-agent': `Steward/${packageJson.version}`,
      ...headers,
    };
    const received = await sendRequest(
      url,
      { ...request, headers: allHeaders },
      RESPONSE_READER,
      network,
    );
    if (!('kind' in received)) {
      return { kind: 'responded', httpStatus: received.httpStatus, body: received.content ?? '' };
    }
    // The receiver has responded if it sent a status, even if the body never ends.
    const { httpStatus } = received;
    return httpStatus === null ? received : { kind: 'responded', httpStatus, body: '' };
  };
}
