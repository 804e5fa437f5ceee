import {
  BACKUP_RECENT_HOURS,
  type Preflight,
  type ReachabilityKnowledge,
  reachabilityKnowledge,
  type SiteReachability,
} from '@steward/contract';
import { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { addPanelOptions, type PanelOptions } from './panel-options.ts';
import { addSiteSyncCommand, addSiteUpdateCommand } from './sites/change-sites.ts';
import { addSiteCheckPagesCommand } from './sites/check-pages.ts';
import { findSite } from './sites/find-site.ts';
import { addSiteListCommand } from './sites/list-sites.ts';
import { selectSites } from './sites/select-sites.ts';
import { addSiteSetCommand } from './sites/set-site.ts';
import { addSiteShowCommand } from './sites/show-site.ts';

export function createSiteCommand(context: CommandContext): Command {
  const site = new Command('site').description('list, show, change, sync and update sites');
  addSiteListCommand(site, context);
  addSiteShowCommand(site, context);
  addSiteSyncCommand(site, context);
  addSiteUpdateCommand(site, context);
  addSiteCheckPagesCommand(site, context);
  addSiteSetCommand(site, context);
  addPanelOptions(
    site
      .command('status')
      .argument('<site>', 'address or id of the site')
      .description(
        'show whether a site is up, its certificate, its response time and its last outages',
      ),
  ).action(async (address: string, { json, ...options }: PanelOptions) => {
    const status = await context.withApi(options, async (api) => {
      const { id, url } = await findSite(api, address, { includesArchived: true });
      return { site_id: id, site_url: url, ...(await api.showReachability(id)) };
    });
    if (json) return context.printJson(status);
    printStatus(context, status.site_url, status);
  });
  addPanelOptions(
    site
      .command('preflight')
      .description('predict which updates would fail and why, without calling the sites')
      .argument('<site...>', 'addresses or ids of the sites'),
  ).action(async (sites: string[], { json, ...options }: PanelOptions) => {
    const preflight = await context.withApi(options, async (api) =>
      api.predictFailures({ site_ids: await selectSites(api, { sites }) }),
    );
    if (json) context.printJson(preflight);
    else printPreflight(context, preflight);
  });
  return site;
}

function printStatus(
  { printLine, printTable }: CommandContext,
  url: string,
  reachability: SiteReachability,
): void {
  const { reason, checked_at, certificate_expires_at, days, outages } = reachability;
  printLine(`${url}: ${describeState(reachability)}`);
  if (reason) printLine(reason);
  printLine(`Last check: ${checked_at ?? 'never'}`);
  if (certificate_expires_at) printLine(`Certificate expires: ${certificate_expires_at}`);
  const { response_median_ms: medianMs, response_max_ms: maxMs } = days.at(-1) ?? {};
  if (medianMs != null)
    printLine(`Response time today: median ${medianMs} ms, maximum ${maxMs} ms`);
  const secondsDown = days.reduce((sum, day) => sum + day.seconds_down, 0);
  printLine(`Down in the last ${days.length} days: ${Math.round(secondsDown / 60)} min`);
  if (outages.length === 0) return;
  printLine();
  printTable(
    ['STARTED', 'ENDED', 'REASON'],
    outages.map(({ started_at, ended_at, reason: cause }) => [
      started_at,
      ended_at ?? 'not yet',
      cause,
    ]),
  );
}

const UNKNOWN_STATES: Record<Exclude<ReachabilityKnowledge, 'known'>, string> = {
  never_checked:
    'not checked yet. The first check follows within minutes if a worker runs and PING_MINUTES is above 0.',
  unconfirmed: 'the first check failed. Steward checks again before it reports the site as down.',
  outdated:
    'not checked in the last two hours. Start a worker with npx steward serve, and set PING_MINUTES above 0.',
};

function describeState(reachability: SiteReachability): string {
  const { state, since } = reachability;
  const knowledge = reachabilityKnowledge(reachability, new Date());
  if (knowledge !== 'known') return UNKNOWN_STATES[knowledge];
  return `${state === 'up' ? 'up' : 'not reachable'} since ${since}`;
}

function printPreflight(context: CommandContext, preflight: Preflight): void {
  const { groups, unchecked, checked, without_backup } = preflight;
  const rows = groups.flatMap(({ is_certain, site_ids, sites }) =>
    sites.map(({ id, name, error }) => {
      const verb = is_certain ? 'would' : 'may';
      return [name, site_ids.includes(id) ? `${verb} fail` : `${verb} partly fail`, error];
    }),
  );
  const uncheckedRows = unchecked.sites.map(({ name, reason, reported_at }) => [
    name,
    'not certain',
    reason === 'report_old'
      ? `The last report is older than 24 hours (${reported_at}). Sync the site.`
      : 'The site has sent no preflight report. Update its Steward plugin, then sync it.',
  ]);
  const backupRows = without_backup.sites.map(({ name, backed_up_at }) => [
    name,
    'no backup',
    backed_up_at
      ? `The last full backup is older than ${BACKUP_RECENT_HOURS} hours (${backed_up_at}).`
      : 'The site has reported no full backup.',
  ]);
  if (rows.length + uncheckedRows.length + backupRows.length === 0) {
    const sites = checked === 1 ? '1 site' : `${checked} sites`;
    context.printLine(`Found no reason why updates of ${sites} would fail.`);
    return;
  }
  context.printTable(['SITE', 'UPDATES', 'REASON'], [...rows, ...uncheckedRows, ...backupRows]);
}
