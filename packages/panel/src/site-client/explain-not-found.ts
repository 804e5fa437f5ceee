/**
 * Why calls to a site get 404, from what the panel has found at its addresses. The web server, a security plugin, a site
 * without the Steward plugin and another server respond alike to a call.
 */

/**
 * What responds at an address of the REST API. `steward`: WordPress with the plugin. `wordpress`: without it. `closed`: a
 * plugin refuses visitors. `nothing`: another response. `unknown`: no response in time.
 */
export type RestIndex = 'steward' | 'wordpress' | 'closed' | 'nothing' | 'unknown';

export type NotFoundFacts = {
  /** WordPress itself responded to the call that it has no such route. */
  isUnknownRoute: boolean;
  /** At `?rest_route=/`, which needs no support of the web server. */
  byQuery: RestIndex;
  /** At `/wp-json/`. */
  byPath: RestIndex;
  /** The address of the REST API that the home page names, if it is another one. */
  announced: { address: string; isOtherHost: boolean; index: RestIndex } | null;
  home: 'wordpress' | 'other' | 'unknown';
};

/** Returns the cause and the next step as sentences for users. */
export function explainNotFound(facts: NotFoundFacts): string {
  const { byQuery, byPath, announced, home, isUnknownRoute } = facts;
  const indexes = [byQuery, byPath, announced?.index];
  if (indexes.includes('steward')) return isUnknownRoute ? TOO_OLD : explainOtherAddress(facts);
  if (indexes.includes('wordpress') || isUnknownRoute) return NOT_ACTIVE;
  if (announced) return explainAnnounced(announced);
  if (indexes.includes('closed')) return CLOSED;
  if (home === 'wordpress') return HIDDEN;
  return home === 'other' ? OTHER_SERVER : UNKNOWN;
}

const CHECK_NOW = 'press Check now under Settings → Steward on the site';
const TOO_OLD = 'The Steward plugin there does not know this call. Update the plugin on the site.';
const NOT_ACTIVE =
  'WordPress responds, but the Steward plugin is not active there. Activate it under Plugins on the site.';
const CLOSED =
  'WordPress responds, but a plugin or a setting closes its REST API. Exempt /service/v1/ there, and check that the Steward plugin is active.';
const HIDDEN =
  'The pages are those of WordPress, but its REST API does not respond: a security plugin or the web server hides it. Exempt /service/v1/ there. Then save the permalinks again under Settings → Permalinks.';
const OTHER_SERVER =
  'Neither WordPress nor the Steward agent responds at this address: the site has moved, or another server has taken its place. Check the address of the site and its DNS records.';
const UNKNOWN = 'Check that the Steward plugin is active on the site.';

/** The plugin responds, but not at the address that the panel called. */
function explainOtherAddress({ byPath, byQuery, announced }: NotFoundFacts): string {
  if (byQuery === 'steward' && byPath !== 'steward' && announced?.index !== 'steward') {
    return `The Steward plugin responds at /?rest_route=/, but the web server does not pass the called address to WordPress. Save the permalinks again under Settings → Permalinks; nginx needs the line “try_files $uri $uri/ /index.php?$args;”. Or ${CHECK_NOW}: Steward then calls the address that works.`;
  }
  const address = announced?.index === 'steward' ? announced.address : '/wp-json/';
  return `The Steward plugin responds at ${address}, but not at the called address: a plugin or the web server blocks that one. To use the address that works, ${CHECK_NOW}.`;
}

function explainAnnounced({ address, isOtherHost }: NonNullable<NotFoundFacts['announced']>) {
  const reason = isOtherHost ? 'on another host' : 'at another address';
  return `The home page names its REST API ${reason}: ${address}. To use that one, ${CHECK_NOW}, then approve the endpoint on the page of this site.`;
}
