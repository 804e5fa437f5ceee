import type { SiteReachability } from '@steward/contract';
import { Command } from 'commander';
import type { CommandContext } from './command-context.ts';

export function createSiteCommand(context: CommandContext): Command {
  const site = new Command('site').description('show the state of a site');
  site
    .command('status')
    .argument('<url>', 'address of the site')
    .description('show whether a site is up, its certificate and its last outages')
    .option('--json', 'print one JSON document')
    .action(async (url: string, { json }: { json?: true }) => {
      const status = await context.withPanel(({ services }) =>
        services.reachability.findByUrl(url),
      );
      if (json) return context.printJson(status);
      printStatus(context, status.site_url, status);
    });
  return site;
}

function printStatus(
  { printLine, printTable }: CommandContext,
  url: string,
  { state, since, reason, checked_at, certificate_expires_at, days, outages }: SiteReachability,
): void {
  printLine(`${url}: ${describeState(state, since)}`);
  if (reason) printLine(reason);
  printLine(`Last check: ${checked_at ?? 'never'}`);
  if (certificate_expires_at) printLine(`Certificate expires: ${certificate_expires_at}`);
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

function describeState(state: SiteReachability['state'], since: string | null): string {
  if (state === null) return 'not checked in the last two hours';
  return `${state === 'up' ? 'up' : 'not reachable'} since ${since}`;
}
