import type { SiteProbe } from '../../site-client/index.ts';
import type { SiteService, WebLoginService } from '../sites/index.ts';
import type { ProbeClient } from './probe-limits.ts';
import type { ProofService } from './proofs.service.ts';

type Dependencies = {
  proofs: Pick<ProofService, 'prove'>;
  probeClient: Pick<ProbeClient, 'probe'>;
  webLogin: Pick<WebLoginService, 'read'>;
  sites: Pick<SiteService, 'readEndpoint'>;
};

type SiteToProbe = { siteId: number; siteUrl: string };

/** Tests whether the panel can call a site. Null if the limits of calls left no room. */
export type ProbeSite = (site: SiteToProbe) => Promise<SiteProbe | null>;

/** Requests for a site that is being probed share the result: a site can send any number of them. */
export function createProbeSite({ proofs, probeClient, webLogin, sites }: Dependencies): ProbeSite {
  const running = new Map<number, Promise<SiteProbe | null>>();

  async function probe({ siteId, siteUrl }: SiteToProbe): Promise<SiteProbe | null> {
    const proof = await proofs.prove(siteId, { evenIfProven: true });
    if (!proof) {
      const { callUrl: endpointUrl, licenseId } = await sites.readEndpoint(siteId);
      const login = await webLogin.read(siteId);
      return probeClient.probe({ siteUrl, endpointUrl, webLogin: login, licenseId });
    }
    if (proof.reachable) return proof;
    const { outcome, error } = proof;
    const isLimited = outcome.kind === 'failed' && outcome.reason === 'limited';
    return isLimited ? null : { reachable: false, error };
  }

  return (site) => {
    const { siteId } = site;
    const shared = running.get(siteId) ?? probe(site).finally(() => void running.delete(siteId));
    running.set(siteId, shared);
    return shared;
  };
}
