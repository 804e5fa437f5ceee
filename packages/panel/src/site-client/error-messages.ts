import { CLOCK_DIFFERENCE_MAX_SECONDS, canonicalSiteUrl } from '@steward/contract';
import type { PrintedOutput } from './describe-output.ts';

/**
 * Messages for users about failed calls: the error and the next step. They do not state whether the site has
 * changed, because the caller may still reconcile the call.
 */

const CERTIFICATE_FAULTS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'has expired. Renew it.',
  CERT_NOT_YET_VALID: 'is not valid yet. Check its dates and the clock of the panel.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host name. Install one for this host name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed. Install one from a trusted authority.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'is signed by an unknown authority. Install one from a trusted authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'is missing its intermediate certificates. Install the full chain.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'is missing its intermediate certificates. Install the full chain.',
};

export const badAddress =
  'The stored address of this site is not valid. Connect the site again under its real address.';

export const nameNotFound = (host: string) =>
  `Could not resolve ${host}. Check the address of the site and its DNS records.`;

export const notPublic = (host: string) =>
  `Private address blocked: ${host}. To manage sites on private addresses, set ALLOW_PRIVATE_SITES=true.`;

export function notConnected(host: string, detail: string | null): string {
  if (detail === 'ECONNREFUSED') {
    return `${host} refused the connection. Check that its web server is running.`;
  }
  return `Could not connect to ${host}. Check that the site is online and that its firewall allows the panel.`;
}

export function notSecure(host: string, detail: string | null): string {
  const fault = CERTIFICATE_FAULTS[detail ?? ''];
  return fault === undefined
    ? `Could not open a secure connection to ${host}. Check its certificate and TLS settings.`
    : `The certificate of ${host} ${fault}`;
}

export const tooSlow = (host: string, seconds: number, sent: boolean) =>
  sent
    ? `${host} did not respond within ${seconds} seconds. Check whether the site is slow for visitors too.`
    : `Could not connect to ${host} within ${seconds} seconds. Nothing was sent. Try again later.`;

export const stopped = (sent: boolean) =>
  sent ? 'Steward stopped this call.' : 'Steward stopped this call. Nothing was sent.';

export const connectionLost = (host: string) =>
  `The connection to ${host} was lost before the response was complete. Check the error log of the site, and any proxy or firewall in between.`;

export const tooLarge = (host: string) =>
  `The response of ${host} was too large to read. Check the site for PHP warnings and for plugins that add output to every response.`;

export const notHttp = (host: string) =>
  `${host} did not send a valid HTTP response. Check the scheme and port of its address.`;

/** `siteUrl`: the address that the site was connected as. */
export function redirected(host: string, target: string | null, siteUrl: string): string {
  const next = (target && nextStepAfterRedirect(target, siteUrl)) || REDIRECTED_ELSEWHERE;
  return `${host} redirects ${target ? `to ${target}` : 'elsewhere'}. ${next}`;
}

const REDIRECTED_ELSEWHERE =
  'If that is the real address of the site, connect the site again there. If it is a login page, exempt /service/v1/ from the login.';

/** Returns null if the target is not the same call at another scheme or with or without `www.`. */
function nextStepAfterRedirect(target: string, siteUrl: string): string | null {
  const [before, after] = [canonicalSiteUrl(siteUrl), canonicalSiteUrl(target)];
  if (!before.ok || !after.ok || !target.includes('/service/v1/')) return null;
  if (!after.canonical.startsWith(`${before.canonical}/`)) return null;
  const [from, to] = [new URL(before.origin), new URL(after.origin)];
  if (from.hostname !== to.hostname) {
    return `The site was connected as ${from.host} and answers as ${to.host} now. Press Check now under Settings → Steward on the site, then approve its new endpoint on the page of this site. Or make ${from.host} its main address again.`;
  }
  if (from.protocol === 'http:' && to.protocol === 'https:') {
    return `The site was connected with http and answers with https now. Connect it again under Settings → Steward on the site; it keeps its seat.`;
  }
  return null;
}

export const busy = (host: string) =>
  `${host} is in maintenance mode or busy. Try again in a few minutes.`;

export const rejectedKey = (host: string) =>
  `${host} has another key than the one that Steward sent. The site was connected again, perhaps to another panel, or restored from a backup. Open Settings → Steward on the site to see its panel, and connect it to this panel again.`;

/** `clockDifferenceSeconds`: how far the clock of the site is ahead; null if it is not known. */
export function rejectedSignature(host: string, clockDifferenceSeconds: number | null): string {
  const rejected = `${host} rejected the signature of the panel`;
  if (clockDifferenceSeconds === null) {
    return `${rejected}. Check the address of the site under Settings → General, and the clocks of the panel and the site. If they are right, connect the site again.`;
  }
  if (Math.abs(clockDifferenceSeconds) > CLOCK_DIFFERENCE_MAX_SECONDS) {
    const minutes = Math.round(Math.abs(clockDifferenceSeconds) / 60);
    const direction = clockDifferenceSeconds > 0 ? 'ahead of' : 'behind';
    return `${rejected}: the clock of the site is ${minutes} minutes ${direction} the clock of the panel. Correct the wrong clock.`;
  }
  return `${rejected}. The clocks agree, so the address of the site has changed, or the site was connected to another panel or restored from a backup. Check the address under Settings → General on the site, then connect the site again.`;
}

export const addressChanged = (connectedAs: string, answersAs: string | null) =>
  `The site was connected as ${connectedAs} and ${answersAs === null ? 'has another address now' : `answers as ${answersAs} now`}. If the site has moved, open Settings → Steward there and connect it again, then disconnect the old address here. If it has not moved, correct its address under Settings → General.`;

export const otherOutput = (host: string, { quote, fix }: PrintedOutput) =>
  withQuote(
    `${host} printed something before its JSON, so the response cannot be read. ${fix}`,
    quote,
  );

export const unreadable = {
  not_json: (host: string, quote: string) =>
    withQuote(
      `${host} responded with something other than JSON. Check the site for PHP warnings, and for a cache or firewall in between.`,
      quote,
    ),
  wrong_shape: (host: string, quote: string) =>
    withQuote(`${host} sent an unexpected response. Update the Steward plugin there.`, quote),
};

export function unexpectedStatus(host: string, httpStatus: number, quote: string): string {
  return withQuote(`${host} responded with status ${httpStatus}. ${adviceOn(httpStatus)}`, quote);
}

function adviceOn(httpStatus: number): string {
  switch (httpStatus) {
    case 401:
      return 'The web server of the site requires a user name and password; the license key is not the cause. Enter them under HTTP basic authentication on the page of this site, or exempt /service/v1/ from the password.';
    case 403:
      return 'A firewall or another filter blocks the panel. Allow requests from the panel.';
    case 404:
      return 'Check that the Steward plugin is active on the site.';
    case 429:
      return 'The hosting provider of the site limits requests. Try again later.';
    default:
      return 'Check the error log of the site.';
  }
}

function withQuote(message: string, quote: string): string {
  return quote === '' ? message : `${message} Response: “${quote}”`;
}
