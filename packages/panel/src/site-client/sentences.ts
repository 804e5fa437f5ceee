/**
 * What a person reads when a call did not go well: what happened, and what to do about it. Whether the
 * site has done what it was asked is not said here: whoever made the call may find out.
 */

const CERTIFICATE_FAULTS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'has expired. Renew it.',
  CERT_NOT_YET_VALID: 'is not valid yet. Check its dates, and the clock of the panel.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name. Install one for this name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is signed by nobody but itself. Install one that browsers accept.',
  SELF_SIGNED_CERT_IN_CHAIN: 'is signed by an unknown authority. Install one that browsers accept.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'comes without its chain. Install the intermediate ones too.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'comes without its chain. Install the intermediate ones too.',
};

export const badAddress =
  'The stored address of the site cannot be called. Connect the site again under its real address.';

export const nameNotFound = (host: string) =>
  `The name ${host} could not be resolved. Check the address of the site and its DNS.`;

export const notPublic = (host: string) =>
  `${host} is not at a public address, and the panel calls no others. If the site belongs there, set ALLOW_PRIVATE_SITES=true.`;

export function notConnected(host: string, detail: string | null): string {
  if (detail === 'ECONNREFUSED') {
    return `${host} refuses connections. Check that its web server is running.`;
  }
  return `No connection to ${host} could be made. Check that the site is up and that its firewall lets the panel in.`;
}

export function notSecure(host: string, detail: string | null): string {
  const fault = CERTIFICATE_FAULTS[detail ?? ''];
  return fault === undefined
    ? `No secure connection to ${host} could be made. Check its certificate and its TLS settings.`
    : `The certificate of ${host} ${fault}`;
}

export const tooSlow = (host: string, seconds: number, sent: boolean) =>
  sent
    ? `${host} did not answer within ${seconds} seconds. See whether it is slow for its visitors, too.`
    : `${host} could not be connected to within ${seconds} seconds. Nothing was sent; try again later.`;

export const stopped = (sent: boolean) =>
  sent ? 'The panel stopped this call.' : 'The panel stopped this call. Nothing was sent.';

export const connectionLost = (host: string) =>
  `The connection to ${host} was lost before its answer was complete. Look into its error log, and at what stands before it.`;

export const tooLarge = (host: string) =>
  `The answer of ${host} was too large and was not read. Look there for PHP warnings, and for a plugin that adds to the answers of others.`;

export const notHttp = (host: string) =>
  `What ${host} answered is not HTTP. Check the scheme and the port of its address.`;

export const redirected = (host: string, target: string | null) =>
  `${host} redirects ${target ? `to ${target}` : 'elsewhere'}. If that is the real address of the site, connect it again there; if it is a login page, exempt /service/v1/ from it.`;

export const busy = (host: string) =>
  `${host} is in maintenance or has too much to do. Try again in a few minutes.`;

export const rejectedKey = (host: string) =>
  `${host} did not accept its license key. Connect the site again.`;

export const rejectedSignature = (host: string) =>
  `${host} did not accept the signature of the panel. Check the clocks of panel and site; if they are right, connect the site again.`;

export const unreadable = {
  not_json: (host: string, said: string) =>
    quoting(
      `${host} answered with something other than JSON. Look there for PHP warnings, or for a cache or firewall in between.`,
      said,
    ),
  wrong_shape: (host: string, said: string) =>
    quoting(`${host} answered with other fields than expected. Update the plugin there.`, said),
};

export function unexpectedStatus(host: string, httpStatus: number, said: string): string {
  return quoting(`${host} answered with status ${httpStatus}. ${adviceOn(httpStatus)}`, said);
}

function adviceOn(httpStatus: number): string {
  switch (httpStatus) {
    case 401:
      return 'Its web server asks for a password before the plugin can answer; the license key is not the reason. Enter its login on the page of the site here, or exempt /service/v1/ from the password.';
    case 403:
      return 'Something before the plugin, such as a firewall, turns the panel away. Let it pass.';
    case 404:
      return 'Check that the plugin is active on the site.';
    case 429:
      return 'Its host limits calls. Try again later.';
    default:
      return 'Look into the error log of the site.';
  }
}

function quoting(sentence: string, said: string): string {
  return said === '' ? sentence : `${sentence} It said: “${said}”`;
}
