import { Command } from 'commander';
import type {
  LicenseService,
  LicenseSummary,
  NewLicense,
} from '../features/licenses/licenses.service.ts';
import {
  endOf,
  limitOf,
  type NoEnd,
  type NoLimit,
  parseCount,
  parseExpiry,
  parseId,
  parseList,
  parseSiteId,
  parseSiteLimit,
} from './arguments.ts';
import { COMMAND_LINE, withPanel } from './command-context.ts';
import { printJson, printLine, printTable } from './output.ts';
import { readSecret } from './secret-input.ts';

type JsonOption = { json?: true };
type CreateOptions = JsonOption & {
  plan: string;
  siteLimit?: number | NoLimit;
  expires: Date | NoEnd;
  services?: string[];
  count: number;
};

export function licenseCommand(): Command {
  const license = new Command('license').description('create, list and change licenses');

  license
    .command('create')
    .description('create licenses; their keys are shown this once')
    .requiredOption('--plan <name>', 'the plan; made when there is none of that name')
    .option('--site-limit <n|unlimited>', 'how many sites may use it at once', parseSiteLimit)
    .option(
      '--expires <iso>',
      'when it ends; a day means its first moment in UTC',
      parseExpiry,
      'never',
    )
    .option('--services <slugs>', 'comma-separated (default: those of the plan)', parseList)
    .option('--count <n>', 'how many to create', parseCount, 1)
    .option('--json', 'print one JSON document')
    .action(async ({ plan, siteLimit, expires, services, count, json }: CreateOptions) => {
      const order = {
        planName: plan,
        siteLimit: siteLimit && limitOf(siteLimit),
        services,
        expiresAt: endOf(expires),
        count,
      };
      const created = await withPanel((panel) =>
        panel.services.licenses.create(order, COMMAND_LINE),
      );
      if (json) printJson(count === 1 ? created[0] : created);
      else for (const license of created) describeNew(license);
    });

  license
    .command('list')
    .description('list all licenses')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: JsonOption) => {
      const licenses = await withPanel((panel) => panel.services.licenses.list());
      if (json) return printJson(licenses);
      if (licenses.length === 0)
        return printLine('There are no licenses yet. Create one with: steward license create');
      printTable(
        ['ID', 'KEY', 'PLAN', 'STATUS', 'SITES', 'EXPIRES'],
        licenses.map((each) => [
          String(each.id),
          `…${each.key_last_six}`,
          each.plan.name,
          each.status,
          slots(each),
          each.expires_at ?? 'never',
        ]),
      );
    });

  license
    .command('show')
    .description('show one license and its sites')
    .argument('<id>', 'the number of the license', parseId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { json }: JsonOption) => {
      const details = await withPanel((panel) => panel.services.licenses.show(id));
      if (json) return printJson(details);
      describe(details);
      if (details.activations.length === 0)
        return printLine('It has not been activated on any site yet.');
      printTable(
        ['SITE', 'URL', 'STATUS', 'COUNTED', 'LAST CHECK'],
        details.activations.map((site) => [
          String(site.site_id),
          site.site_url,
          site.status,
          site.counted ? 'yes' : 'no',
          site.last_check_at ?? 'never',
        ]),
      );
      const [shown, total] = [details.activations.length, details.activations_total];
      if (shown < total) printLine(`These are the ${shown} newest of ${total}.`);
    });

  changeCommand(license, 'suspend', 'refuse its sites until it is resumed');
  changeCommand(license, 'resume', 'end a suspension');
  changeCommand(license, 'revoke', 'end it for good and free all its sites');

  license
    .command('extend')
    .description('move the day it ends')
    .argument('<id>', 'the number of the license', parseId)
    .requiredOption('--expires <iso>', 'the new end, or never', parseExpiry)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { expires, json }: JsonOption & { expires: Date | NoEnd }) => {
      await change(json, (licenses) => licenses.extend(id, endOf(expires), COMMAND_LINE));
    });

  license
    .command('set-limit')
    .description('change how many sites may use it; sites that are in stay in')
    .argument('<id>', 'the number of the license', parseId)
    .argument('<n|unlimited>', 'the new limit', parseSiteLimit)
    .option('--json', 'print one JSON document')
    .action(async (id: number, limit: number | NoLimit, { json }: JsonOption) => {
      await change(json, (licenses) => licenses.setLimit(id, limitOf(limit), COMMAND_LINE));
    });

  license
    .command('release')
    .description('take it off a site and free the slot')
    .argument('<id>', 'the number of the license', parseId)
    .argument('<site-id>', 'the number of the site', parseSiteId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, siteId: number, { json }: JsonOption) => {
      const { activation, license } = await withPanel((panel) =>
        panel.services.activations.release(id, siteId, COMMAND_LINE),
      );
      if (json) return printJson({ license, activation });
      printLine(`Site ${siteId} (${activation.site_url}) is off license ${id}.`);
    });

  license
    .command('find')
    .description('find the license that a key belongs to')
    .requiredOption('--key-stdin', 'read the key from standard input')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: JsonOption) => {
      const key = await readSecret();
      const found = await withPanel((panel) => panel.services.licenses.findByKey(key));
      if (json) printJson(found);
      else describe(found);
    });

  return license;
}

function changeCommand(
  parent: Command,
  name: 'suspend' | 'resume' | 'revoke',
  description: string,
): void {
  parent
    .command(name)
    .description(description)
    .argument('<id>', 'the number of the license', parseId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { json }: JsonOption) => {
      await change(json, (licenses) => licenses[name](id, COMMAND_LINE));
    });
}

async function change(
  json: true | undefined,
  apply: (licenses: LicenseService) => Promise<LicenseSummary>,
): Promise<void> {
  const changed = await withPanel((panel) => apply(panel.services.licenses));
  if (json) printJson(changed);
  else describe(changed);
}

const STATUS_WORDS: Record<LicenseSummary['status'], string> = {
  active: 'active',
  inactive: 'valid, on no site',
  expired: 'expired',
  suspended: 'suspended',
  revoked: 'revoked',
};

function describe(license: LicenseSummary): void {
  const end = license.expires_at === null ? 'never ends' : `ends ${license.expires_at}`;
  printLine(
    `License ${license.id} (…${license.key_last_six}), plan ${license.plan.name}: ${STATUS_WORDS[license.status]}, ${slots(license)} sites, ${end}, services: ${license.plan.services.join(', ') || 'none'}.`,
  );
}

function describeNew(license: NewLicense): void {
  printLine(license.license_key);
  describe(license);
}

function slots(license: LicenseSummary): string {
  return `${license.sites_used}/${license.site_limit ?? 'unlimited'}`;
}
