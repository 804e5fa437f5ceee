import { canonicalSiteUrl, type SiteUrl } from '@steward/contract';
import { defaultEndpointOf, parseOtherEndpoint, parseStandardEndpoint } from './endpoint-url.ts';

/** What the panel has stored about the endpoint of a site. */
export type EndpointRecord = {
  /** The address of the site. */
  url: string;
  /** The endpoint that the site reported last, if it is standard or approved. */
  endpoint_url: string | null;
  approved_endpoint_url: string | null;
  /** A site with a site key named `signed_calls` too, and can prove its endpoint. */
  has_site_key: boolean;
  proven_at: Date | null;
  proven_endpoint_url: string | null;
};

export type SiteEndpoint = {
  /** The endpoint that the panel asks for a proof. Null if the address of the site is not valid. */
  chosenUrl: string | null;
  /** The only endpoint that gets the key and the calls. Null: there is none yet. */
  callUrl: string | null;
  /** Whether the chosen endpoint has not given its proof yet. */
  needsProof: boolean;
};

/**
 * Decides at which endpoint the panel calls a site. The proof of a site with a site key belongs to one endpoint, not to its
 * host: the site is called at the proven endpoint until another one gives its own proof. A site without a site key cannot
 * give a proof, and its key is shared, so it is called on its own origin only.
 */
export function decideEndpoint(record: EndpointRecord): SiteEndpoint {
  const { has_site_key: hasSiteKey, proven_at, proven_endpoint_url: provenUrl } = record;
  const site = canonicalSiteUrl(record.url);
  if (!site.ok) return { chosenUrl: null, callUrl: null, needsProof: hasSiteKey };
  const chosenUrl = parseAllowed(record.endpoint_url, site, record) ?? defaultEndpointOf(site);
  if (!hasSiteKey) return { chosenUrl, callUrl: chosenUrl, needsProof: false };
  const callUrl = proven_at && parseAllowed(provenUrl, site, record);
  return { chosenUrl, callUrl, needsProof: callUrl !== chosenUrl };
}

/** The columns that a report of an endpoint changes. An endpoint without approval does not replace the one in use. */
export function applyReportedEndpoint(
  reportedUrl: string,
  site: SiteUrl,
  { approved_endpoint_url: approvedUrl }: Pick<EndpointRecord, 'approved_endpoint_url'>,
): { endpoint_url?: string; requested_endpoint_url: string | null } {
  const standardUrl = parseStandardEndpoint(reportedUrl, site);
  if (standardUrl) return { endpoint_url: standardUrl, requested_endpoint_url: null };
  const otherUrl = parseOtherEndpoint(reportedUrl, site);
  return otherUrl !== null && otherUrl === approvedUrl
    ? { endpoint_url: otherUrl, requested_endpoint_url: null }
    : { requested_endpoint_url: otherUrl };
}

/** Returns the stored endpoint if it is a standard one of the present site URL, or approved by an owner. */
function parseAllowed(
  endpointUrl: string | null,
  site: SiteUrl,
  { approved_endpoint_url: approvedUrl, has_site_key: hasSiteKey }: EndpointRecord,
): string | null {
  const standardUrl = parseStandardEndpoint(endpointUrl, site);
  if (standardUrl || endpointUrl === null || endpointUrl !== approvedUrl) return standardUrl;
  const isSameOrigin = URL.parse(endpointUrl)?.origin === new URL(site.origin).origin;
  return hasSiteKey || isSameOrigin ? endpointUrl : null;
}
