import {
  type LicenseDetails,
  OLD_KEY_DAYS_DEFAULT,
  OLD_KEY_DAYS_MAX,
  type SiteKeyKind,
} from '@steward/contract';
import { Command } from 'commander';
import type { LicenseService, LicenseSummary, NewLicense } from '../features/licenses/index.ts';
import {
  endOf,
  limitOf,
  type NoEnd,
  type NoLimit,
  parseCount,
  parseExpiry,
  parseId,
  parseList,
  parseOldKeyDays,
  parseSiteId,
  parseSiteLimit,
} from './arguments.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

type JsonOption = { json?: true };
type CreateOptions = JsonOption & {
  plan: string;
  siteLimit?: number | NoLimit;
  expires: Date | NoEnd;
  services?: string[];
  count: number;
};

export function licenseCommand(context: CommandContext): Command {
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
      const created = await context.withPanel((panel) =>
        panel.services.licenses.create(order, COMMAND_LINE),
      );
      if (json) context.printJson(count === 1 ? created[0] : created);
      else for (const license of created) describeNew(context, license);
    });

  license
    .command('list')
    .description('list all licenses')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: JsonOption) => {
      const licenses = await context.withPanel((panel) => panel.services.licenses.list());
      if (json) return context.printJson(licenses);
      if (licenses.length === 0)
        return context.printLine(
          'There are no licenses yet. Create one with: steward license create',
        );
      context.printTable(
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
      const details = await context.withPanel((panel) => panel.services.licenses.show(id));
      if (json) return context.printJson(details);
      describe(context, details);
      describeRotation(context, details.rotation);
      if (details.activations.length === 0)
        return context.printLine('It has not been activated on any site yet.');
      context.printTable(
        ['SITE', 'URL', 'STATUS', 'COUNTED', 'KEY', 'LAST CHECK'],
        details.activations.map((site) => [
          String(site.site_id),
          site.site_url,
          site.status,
          site.counted ? 'yes' : 'no',
          KEY_WORDS[site.key],
          site.last_check_at ?? 'never',
        ]),
      );
      const [shown, total] = [details.activations.length, details.activations_total];
      if (shown < total) context.printLine(`These are the ${shown} newest of ${total}.`);
    });

  changeCommand(context, license, 'suspend', 'refuse its sites until it is resumed');
  changeCommand(context, license, 'resume', 'end a suspension');
  changeCommand(context, license, 'revoke', 'end it for good and free all its sites');

  license
    .command('rotate')
    .description('replace its key; the new one is shown this once')
    .argument('<id>', 'the number of the license', parseId)
    .option(
      '--old-key-days <n>',
      `for how many days the old key is accepted, 0 to ${OLD_KEY_DAYS_MAX}; 0 ends it at once`,
      parseOldKeyDays,
      OLD_KEY_DAYS_DEFAULT,
    )
    .option('--json', 'print one JSON document')
    .action(async (id: number, { oldKeyDays, json }: JsonOption & { oldKeyDays: number }) => {
      const [rotated, { rotation }] = await context.withPanel(async ({ services }) => [
        await services.keyRotation.rotate(id, { oldKeyDays }, COMMAND_LINE),
        await services.licenses.show(id),
      ]);
      if (json) return context.printJson({ ...rotated, rotation });
      describeNew(context, rotated);
      describeRotation(context, rotation);
    });

  license
    .command('end-old-key')
    .description('refuse the key that was replaced from now on')
    .argument('<id>', 'the number of the license', parseId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { json }: JsonOption) => {
      const license = await context.withPanel((panel) =>
        panel.services.keyRotation.endOldKey(id, COMMAND_LINE),
      );
      if (json) context.printJson(license);
      else describe(context, license);
    });

  license
    .command('extend')
    .description('move the day it ends')
    .argument('<id>', 'the number of the license', parseId)
    .requiredOption('--expires <iso>', 'the new end, or never', parseExpiry)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { expires, json }: JsonOption & { expires: Date | NoEnd }) => {
      await change(context, json, (licenses) => licenses.extend(id, endOf(expires), COMMAND_LINE));
    });

  license
    .command('set-limit')
    .description('change how many sites may use it; sites that are in stay in')
    .argument('<id>', 'the number of the license', parseId)
    .argument('<n|unlimited>', 'the new limit', parseSiteLimit)
    .option('--json', 'print one JSON document')
    .action(async (id: number, limit: number | NoLimit, { json }: JsonOption) => {
      await change(context, json, (licenses) =>
        licenses.setLimit(id, limitOf(limit), COMMAND_LINE),
      );
    });

  license
    .command('release')
    .description('take it off a site and free the slot')
    .argument('<id>', 'the number of the license', parseId)
    .argument('<site-id>', 'the number of the site', parseSiteId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, siteId: number, { json }: JsonOption) => {
      const { activation, license } = await context.withPanel((panel) =>
        panel.services.activations.release(id, siteId, COMMAND_LINE),
      );
      if (json) return context.printJson({ license, activation });
      context.printLine(`Site ${siteId} (${activation.site_url}) is off license ${id}.`);
    });

  license
    .command('find')
    .description('find the license that a key belongs to')
    .requiredOption('--key-stdin', 'read the key from standard input')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: JsonOption) => {
      const key = await context.readSecret();
      const found = await context.withPanel((panel) => panel.services.licenses.findByKey(key));
      if (json) context.printJson(found);
      else describe(context, found);
    });

  return license;
}

function changeCommand(
  context: CommandContext,
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
      await change(context, json, (licenses) => licenses[name](id, COMMAND_LINE));
    });
}

async function change(
  context: CommandContext,
  json: true | undefined,
  apply: (licenses: LicenseService) => Promise<LicenseSummary>,
): Promise<void> {
  const changed = await context.withPanel((panel) => apply(panel.services.licenses));
  if (json) context.printJson(changed);
  else describe(context, changed);
}

const STATUS_WORDS: Record<LicenseSummary['status'], string> = {
  active: 'active',
  inactive: 'valid, on no site',
  expired: 'expired',
  suspended: 'suspended',
  revoked: 'revoked',
};

function describe(context: CommandContext, license: LicenseSummary): void {
  const end = license.expires_at === null ? 'never ends' : `ends ${license.expires_at}`;
  context.printLine(
    `License ${license.id} (…${license.key_last_six}), plan ${license.plan.name}: ${STATUS_WORDS[license.status]}, ${slots(license)} sites, ${end}, services: ${license.plan.services.join(', ') || 'none'}.`,
  );
}

const KEY_WORDS: Record<SiteKeyKind, string> = {
  site: 'its own',
  license: 'shared',
  old_license: 'old',
};

function describeRotation(context: CommandContext, rotation: LicenseDetails['rotation']): void {
  if (!rotation) return;
  const { old_key_last_six, ends_at, has_ended, sites_left } = rotation;
  const until = has_ended ? `ended ${ends_at}` : `is accepted until ${ends_at}`;
  context.printLine(
    `The old key (…${old_key_last_six}) ${until}. Sites that still have it: ${sites_left}.`,
  );
}

function describeNew(context: CommandContext, license: NewLicense): void {
  context.printLine(license.license_key);
  describe(context, license);
}

function slots(license: LicenseSummary): string {
  return `${license.sites_used}/${license.site_limit ?? 'unlimited'}`;
}
