import type { Network } from './connection.ts';
import { endpointOf, homeOf, type SiteTarget } from './endpoint.ts';
import { createStartReader, type RawResponse } from './exchange.ts';
import { explainNotFound, type NotFoundFacts, type RestIndex } from './explain-not-found.ts';
import type { Failed } from './outcome.ts';
import { plainText } from './plain-text.ts';
import { COMMON_HEADERS, loginHeader, sendRequest } from './send-request.ts';

type Diagnosis = {
  target: SiteTarget;
  /** The body of the 404. */
  text: string;
  signals: AbortSignal[];
};

/** For all requests together: a user may wait for the call. */
const TOTAL_SECONDS = 10;
const REQUEST_SECONDS = 5;
const READER = createStartReader(512 * 1024);
const API_RELATION = 'https://api.w.org/';
const NAMESPACE = 'service/v1';

/**
 * Finds out why a call got 404, after it failed: a healthy site gets none of these requests. All of them are a GET to the
 * origin of the site, without its key. Returns null if the call went to another origin.
 */
export async function diagnoseNotFound(
  { target, text, signals }: Diagnosis,
  network: Network,
): Promise<string | null> {
  const home = homeOf(target);
  if (home === null || endpointOf(target, '')?.origin !== home.origin) return null;
  const deadline = performance.now() + TOTAL_SECONDS * 1000;
  const get = async (url: URL, accept: string) => {
    const seconds = Math.min(REQUEST_SECONDS, (deadline - performance.now()) / 1000);
    if (seconds <= 0) return null;
    const headers = { ...COMMON_HEADERS, accept, ...loginHeader(target) };
    const received = await sendRequest(
      url,
      { headers, body: null, seconds, signals },
      READER,
      network,
    );
    return 'kind' in received ? null : received;
  };
  const readIndex = async (url: URL) => indexOf(await get(fieldsOf(url), 'application/json'));

  const facts: NotFoundFacts = {
    isUnknownRoute: /"code"\s*:\s*"rest_no_route"/.test(text),
    byQuery: await readIndex(new URL('?rest_route=/', home)),
    byPath: 'unknown',
    announced: null,
    home: 'unknown',
  };
  if (facts.byQuery === 'wordpress') return explainNotFound(facts);
  facts.byPath = await readIndex(new URL('wp-json/', home));
  if (isFound(facts.byQuery) || isFound(facts.byPath)) return explainNotFound(facts);
  const page = await get(home, 'text/html');
  if (page === null || page.httpStatus !== 200) return explainNotFound(facts);
  facts.home = isWordPressPage(page) ? 'wordpress' : 'other';
  const announced = announcedApiOf(page, home);
  if (announced !== null) {
    const isOtherHost = announced.origin !== home.origin;
    const index = isOtherHost ? 'unknown' : await readIndex(announced);
    const address = plainText(announced.origin + announced.pathname, target.serviceKey);
    facts.announced = { address, isOtherHost, index };
  }
  return explainNotFound(facts);
}

/** Adds the diagnosis to a call that got 404. Without one, the error of the call stays. */
export function withDiagnosis(outcome: Failed, host: string, explanation: string | null): Failed {
  const code = 'site_endpoint_not_found';
  if (explanation === null) return { ...outcome, code };
  return { ...outcome, code, error: `${host} responded with status 404. ${explanation}` };
}

const isFound = (index: RestIndex) => index === 'steward' || index === 'wordpress';

/** The complete index of a site with many plugins has several megabytes. */
function fieldsOf(url: URL): URL {
  const withFields = new URL(url);
  withFields.searchParams.set('_fields', 'namespaces');
  return withFields;
}

function indexOf(response: RawResponse<string> | null): RestIndex {
  if (response === null || response.httpStatus >= 500) return 'unknown';
  const { httpStatus } = response;
  const text = response.content ?? '';
  // Searched in the text, because PHP warnings may precede the JSON, and the start of a long index is enough.
  const namespaces = /"namespaces"\s*:\s*\[([^\]]*)/.exec(text)?.[1];
  if (httpStatus === 200 && namespaces !== undefined) {
    return namespaces.replaceAll('\\/', '/').includes(`"${NAMESPACE}"`) ? 'steward' : 'wordpress';
  }
  const isRefusal = httpStatus === 401 || httpStatus === 403;
  return isRefusal && /^\s*\{\s*"code"\s*:/.test(text) ? 'closed' : 'nothing';
}

const isWordPressPage = ({ content, link }: RawResponse<string>) =>
  `${link} ${content}`.includes(API_RELATION) ||
  /\/wp-(?:content|includes)\/|name=["']generator["'] content=["']WordPress/i.test(content ?? '');

/** Returns the address of the REST API that the page names; null if it names none or one that the panel has tried. */
function announcedApiOf({ content, link }: RawResponse<string>, home: URL): URL | null {
  const inHeader = /<([^>]+)>;[^,]*rel="?https:\/\/api\.w\.org\//.exec(link ?? '')?.[1];
  const inPage = /<link[^>]+rel=["']https:\/\/api\.w\.org\/["'][^>]*>/i.exec(content ?? '')?.[0];
  const href = inHeader ?? /href=["']([^"']+)["']/i.exec(inPage ?? '')?.[1];
  const url = href === undefined ? null : URL.parse(href.replaceAll('&amp;', '&'), home.href);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const isTried = url.href === new URL('wp-json/', home).href || url.searchParams.has('rest_route');
  return isTried && url.origin === home.origin ? null : url;
}
