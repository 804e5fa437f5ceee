import {
  type CreateRuleRequest,
  describeRule,
  RULE_BACKUP_HOURS_MAX,
  RULE_LEVELS,
  RULE_NOTE_MAX_LENGTH,
  RULE_WAIT_DAYS_MAX,
  type RuleLevel,
} from '@steward/contract';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseSiteId } from './arguments.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';
import { parseListedId, parseText, parseType, parseVersion } from './rule-arguments.ts';

type JsonOption = { json?: true };
type AddOptions = JsonOption & {
  tag?: string;
  site?: number;
  type?: 'plugin' | 'theme' | 'core';
  slug?: string;
  level?: RuleLevel;
  pin?: string;
  wait?: number;
  ignore?: string;
  backup?: number;
  restore?: 'on' | 'off';
  note?: string;
};

export function createRuleCommand(context: CommandContext): Command {
  const rule = new Command('rule').description('list, add and delete rules for updates');

  rule
    .command('list')
    .description('list all rules')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: JsonOption) => {
      const rules = await context.withPanel((panel) => panel.services.rules.list());
      if (json) return context.printJson(rules);
      if (rules.length === 0)
        return context.printLine(
          'No rules. Updates install every version that is not quarantined.',
        );
      context.printTable(
        ['ID', 'RULE', 'SITES', 'NOTE'],
        rules.map((each) => [
          String(each.id),
          describeRule(each),
          String(each.sites),
          each.note.replace(/\s+/g, ' '),
        ]),
      );
    });

  rule
    .command('add')
    .description('add a rule (default: for all sites and for all plugins, themes and core)')
    .option('--tag <name>', 'sites with this tag')
    .option('--site <id>', 'one site', parseSiteId)
    .option('--type <type>', 'plugin, theme or core', parseType)
    .option('--slug <slug>', 'one plugin (folder/file.php) or theme (folder)')
    .option(
      '--level <level>',
      'the largest version step to install: never (no update, installation or restore), patch, minor or all',
      parseLevel,
    )
    .option('--pin <version>', 'do not update beyond this version', parseVersion)
    .option('--wait <days>', 'days to wait after a version first appeared in the fleet', parseDays)
    .option('--ignore <version>', 'never install this version', parseVersion)
    .option(
      '--backup <hours>',
      'update only with a backup from the last hours; 0: no backup is needed, even if a rule for more sites needs one',
      parseHours,
    )
    .addOption(
      new Option(
        '--restore <on|off>',
        'whether Steward restores the saved version if an update causes trouble',
      ).choices(['on', 'off']),
    )
    .option('--note <text>', 'a note for other owners', parseText(RULE_NOTE_MAX_LENGTH))
    .option('--json', 'print one JSON document')
    .action(async ({ json, ...options }: AddOptions) => {
      const request = toRequest(options);
      const created = await context.withPanel((panel) =>
        panel.services.rules.create(request, COMMAND_LINE),
      );
      if (json) context.printJson(created);
      else context.printLine(`Added rule ${created.id}: ${describeRule(created)}`);
    });

  rule
    .command('delete')
    .description('delete a rule')
    .argument('<id>', 'rule id', parseListedId)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { json }: JsonOption) => {
      await context.withPanel((panel) => panel.services.rules.remove(id, COMMAND_LINE));
      if (json) context.printJson({ id });
      else context.printLine(`Deleted rule ${id}.`);
    });

  return rule;
}

function toRequest(options: Omit<AddOptions, 'json'>): CreateRuleRequest {
  const { tag, site, type, slug, level, pin, wait, ignore, backup, restore, note } = options;
  const effects = [level, pin, wait, ignore, backup, restore].filter(
    (value) => value !== undefined,
  );
  if (effects.length !== 1) {
    throw new Error('Use exactly one of --level, --pin, --wait, --ignore, --backup and --restore.');
  }
  return {
    ...(tag !== undefined && { tag }),
    ...(site !== undefined && { site_id: site }),
    ...(type !== undefined && { item_type: type }),
    ...(slug !== undefined && { slug }),
    ...(note !== undefined && { note }),
    ...(level !== undefined && { aspect: 'level' as const, level }),
    ...(pin !== undefined && { aspect: 'level' as const, level: 'pin' as const, version: pin }),
    ...(ignore !== undefined && { aspect: 'ignore' as const, version: ignore }),
    ...(wait !== undefined && { aspect: 'wait' as const, days: wait }),
    ...(backup !== undefined && { aspect: 'backup' as const, hours: backup }),
    ...(restore !== undefined && { aspect: 'restore' as const, enabled: restore === 'on' }),
  } as CreateRuleRequest;
}

function parseLevel(text: string): RuleLevel {
  const level = RULE_LEVELS.find((each) => each === text && each !== 'pin');
  if (level) return level;
  throw new InvalidArgumentError('It must be "never", "patch", "minor" or "all".');
}

function parseDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : -1;
  if (days >= 0 && days <= RULE_WAIT_DAYS_MAX) return days;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${RULE_WAIT_DAYS_MAX}.`);
}

function parseHours(text: string): number {
  const hours = /^\d{1,4}$/.test(text) ? Number(text) : -1;
  if (hours >= 0 && hours <= RULE_BACKUP_HOURS_MAX) return hours;
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${RULE_BACKUP_HOURS_MAX}.`);
}
