import { OLD_KEY_DAYS_DEFAULT, OLD_KEY_DAYS_MAX } from '@steward/contract';
import { Command } from 'commander';
import type { LicenseService, LicenseSummary } from '../features/licenses/index.ts';
import {
  type NoExpiry,
  type NoLimit,
  parseCount,
  parseExpiry,
  parseLicenseId,
  parseLicenseLabel,
  parseList,
  parseOldKeyDays,
  parseSiteId,
  parseSiteLimit,
  toExpiry,
  toSiteLimit,
} from './arguments.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';
import { addEnrolCommand } from './license-enrol.ts';
import {
  formatSeats,
  KEY_LABELS,
  printLicense,
  printNewLicense,
  printRotation,
} from './license-output.ts';

type JsonOption = { json?: true };
type NameOptions = { name?: string; customer?: string };
type CreateOptions = JsonOption &
  NameOptions & {
    plan: string;
    siteLimit?: number | NoLimit;
    expires: Date | NoExpiry;
    services?: string[];
    count: number;
  };

export function createLicenseCommand(context: CommandContext): Command {
  const license = new Command('license').description('create, list and change licenses');

  license
    .command('create')
    .description(
      'create licenses and print their keys once; "Reveal key" in the panel shows a key again',
    )
    .requiredOption('--plan <name>', 'plan name; the plan is created if it does not exist')
    .option('--site-limit <n|unlimited>', 'maximum number of connected sites', parseSiteLimit)
    .option(
      '--expires <iso>',
      'expiry: the last valid day (UTC), a date and time, or never',
      parseExpiry,
      'never',
    )
    .option(
      '--services <slugs>',
      'comma-separated slugs (default: the services of the plan)',
      parseList,
    )
    .option('--name <text>', 'a name for the screens', parseLicenseLabel)
    .option('--customer <text>', 'the customer of the license', parseLicenseLabel)
    .option('--count <n>', 'number of licenses to create', parseCount, 1)
    .option('--json', 'print one JSON document')
    .action(async (options: CreateOptions) => {
      const { plan, siteLimit, expires, services, name, customer, count, json } = options;
      const values = {
        name,
        customer,
        planName: plan,
        siteLimit: siteLimit && toSiteLimit(siteLimit),
        services,
        expiresAt: toExpiry(expires),
        count,
      };
      const created = await context.withPanel((panel) =>
        panel.services.licenses.create(values, COMMAND_LINE),
      );
      if (json) context.printJson(count === 1 ? created[0] : created);
      else for (const license of created) printNewLicense(context, license);
    });

  license
    .command('list')
    .description('list all licenses')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: JsonOption) => {
      const licenses = await context.withPanel((panel) => panel.services.licenses.list());
      if (json) return context.printJson(licenses);
      if (licenses.length === 0)
        return context.printLine('No licenses yet. Create one with: steward license create');
      context.printTable(
        ['ID', 'KEY', 'NAME', 'CUSTOMER', 'PLAN', 'STATUS', 'SITES', 'EXPIRES'],
        licenses.map((each) => [
          String(each.id),
          `…${each.key_last_six}`,
          each.name ?? '',
          each.customer ?? '',
          each.plan.name,
          each.status,
          formatSeats(each),
          each.expires_at ?? 'never',
        ]),
      );
    });

  license
    .command('show')
    .description('show a license and its sites')
    .argument('<id>', 'license id', parseLicenseId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { json }: JsonOption) => {
      const details = await context.withPanel((panel) => panel.services.licenses.show(id));
      if (json) return context.printJson(details);
      printLicense(context, details);
      printRotation(context, details);
      if (details.activations.length === 0)
        return context.printLine('This license is not connected to any site yet.');
      context.printTable(
        ['SITE', 'URL', 'STATUS', 'USES SEAT', 'KEY', 'LAST CHECK-IN'],
        details.activations.map((site) => [
          String(site.site_id),
          site.site_url,
          site.status,
          site.status === 'active' && site.counted ? 'yes' : 'no',
          KEY_LABELS[site.key],
          site.last_check_at ?? 'never',
        ]),
      );
      const [shown, total] = [details.activations.length, details.activations_total];
      if (shown < total) context.printLine(`Showing the ${shown} newest of ${total} sites.`);
    });

  addChangeCommand(
    context,
    license,
    'suspend',
    'suspend a license; Steward refuses its sites until you resume it',
  );
  addChangeCommand(context, license, 'resume', 'end a suspension');
  addChangeCommand(
    context,
    license,
    'revoke',
    'revoke a license permanently and disconnect all its sites',
  );

  license
    .command('rotate')
    .description(
      'replace the license key and print the new key once; "Reveal key" in the panel shows it again',
    )
    .argument('<id>', 'license id', parseLicenseId)
    .option(
      '--old-key-days <n>',
      `days that the old key is still accepted, 0 to ${OLD_KEY_DAYS_MAX}; with 0, it expires immediately`,
      parseOldKeyDays,
      OLD_KEY_DAYS_DEFAULT,
    )
    .option('--json', 'print one JSON document')
    .action(async (id: number, { oldKeyDays, json }: JsonOption & { oldKeyDays: number }) => {
      const [rotated, details] = await context.withPanel(async ({ services }) => [
        await services.keyRotation.rotate(id, { oldKeyDays }, COMMAND_LINE),
        await services.licenses.show(id),
      ]);
      if (json) return context.printJson({ ...rotated, rotation: details.rotation });
      printNewLicense(context, rotated);
      printRotation(context, details);
    });

  license
    .command('end-old-key')
    .description('make the old key expire immediately')
    .argument('<id>', 'license id', parseLicenseId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { json }: JsonOption) => {
      const license = await context.withPanel((panel) =>
        panel.services.keyRotation.endOldKey(id, COMMAND_LINE),
      );
      if (json) context.printJson(license);
      else printLicense(context, license);
    });

  addEnrolCommand(context, license);

  license
    .command('extend')
    .description('change the expiry date')
    .argument('<id>', 'license id', parseLicenseId)
    .requiredOption(
      '--expires <iso>',
      'new expiry: the last valid day (UTC), a date and time, or never',
      parseExpiry,
    )
    .option('--json', 'print one JSON document')
    .action(async (id: number, { expires, json }: JsonOption & { expires: Date | NoExpiry }) => {
      await changeLicense(context, json, (licenses) =>
        licenses.extend(id, toExpiry(expires), COMMAND_LINE),
      );
    });

  license
    .command('set-limit')
    .description('change the site limit; connected sites stay connected')
    .argument('<id>', 'license id', parseLicenseId)
    .argument('<n|unlimited>', 'new site limit', parseSiteLimit)
    .option('--json', 'print one JSON document')
    .action(async (id: number, limit: number | NoLimit, { json }: JsonOption) => {
      await changeLicense(context, json, (licenses) =>
        licenses.setLimit(id, toSiteLimit(limit), COMMAND_LINE),
      );
    });

  license
    .command('rename')
    .description('change the name or the customer; an empty text removes the value')
    .argument('<id>', 'license id', parseLicenseId)
    .option('--name <text>', 'a name for the screens', parseLicenseLabel)
    .option('--customer <text>', 'the customer of the license', parseLicenseLabel)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { name, customer, json }: JsonOption & NameOptions) => {
      if (name === undefined && customer === undefined) {
        throw new Error('Use --name, --customer or both.');
      }
      await changeLicense(context, json, (licenses) =>
        licenses.rename(id, { name, customer }, COMMAND_LINE),
      );
    });

  license
    .command('release')
    .description('disconnect a site and free its seat')
    .argument('<id>', 'license id', parseLicenseId)
    .argument('<site-id>', 'site id', parseSiteId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, siteId: number, { json }: JsonOption) => {
      const { activation, license } = await context.withPanel((panel) =>
        panel.services.activations.release(id, siteId, COMMAND_LINE),
      );
      if (json) return context.printJson({ license, activation });
      context.printLine(
        `Site ${siteId} (${activation.site_url}) is disconnected from license ${id}.`,
      );
    });

  license
    .command('find')
    .description('find a license by its license key')
    .requiredOption('--key-stdin', 'read the license key from standard input')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: JsonOption) => {
      const key = await context.readSecret();
      const found = await context.withPanel((panel) => panel.services.licenses.findByKey(key));
      if (json) context.printJson(found);
      else printLicense(context, found);
    });

  return license;
}

function addChangeCommand(
  context: CommandContext,
  parent: Command,
  name: 'suspend' | 'resume' | 'revoke',
  description: string,
): void {
  parent
    .command(name)
    .description(description)
    .argument('<id>', 'license id', parseLicenseId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { json }: JsonOption) => {
      await changeLicense(context, json, (licenses) => licenses[name](id, COMMAND_LINE));
    });
}

async function changeLicense(
  context: CommandContext,
  json: true | undefined,
  apply: (licenses: LicenseService) => Promise<LicenseSummary>,
): Promise<void> {
  const changed = await context.withPanel((panel) => apply(panel.services.licenses));
  if (json) context.printJson(changed);
  else printLicense(context, changed);
}
