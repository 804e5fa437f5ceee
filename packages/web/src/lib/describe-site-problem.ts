import { explainFault, type NextStep } from '@steward/contract';
import { siteStatusMessages as messages } from '../messages/site-status.ts';

export type SiteProblem = { title: string; meaning: string; next: readonly NextStep[] };

/** Explains why the panel cannot manage a site, or why the last call failed. Null for other statuses, also for an alarm. */
export function describeSiteProblem(site: {
  status: string;
  fault: { code: string; error: string; run_id?: number | null } | null;
  license: { status: string };
}): SiteProblem | null {
  const { status, fault, license } = site;
  const reason = fault?.error ?? '';
  switch (status) {
    case 'failing':
      return { title: reason || messages.failing.title, ...explainFault(fault?.code ?? '') };
    case 'not_reachable':
      return {
        title: reason || messages.notReachable.title,
        // Without a run, a ping found the problem, so visitors see it too.
        meaning:
          fault?.run_id === null ? messages.notReachable.down : messages.notReachable.meaning,
        next: ['sync', 'open_site'],
      };
    case 'remote_off':
      return fault?.code === 'remote_disabled'
        ? { title: reason, ...messages.remoteDisabled, next: ['open_site', 'sync'] }
        : { ...messages.remoteNotLicensed, next: ['license'] };
    case 'license_invalid':
      return {
        title: messages.licenseInvalid.title(license.status),
        meaning: messages.licenseInvalid.meaning(license.status),
        next: ['license'],
      };
    case 'deactivated':
      return license.status === 'revoked'
        ? {
            title: messages.disconnected.title,
            meaning: messages.disconnected.revoked,
            next: ['license', 'open_site'],
          }
        : {
            title: messages.disconnected.title,
            meaning: messages.disconnected.meaning,
            next: ['open_site'],
          };
    case 'stale':
      return { ...messages.noContact, next: ['sync', 'open_site'] };
    default:
      return null;
  }
}
