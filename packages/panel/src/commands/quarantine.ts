import { QUARANTINE_REASON_MAX_LENGTH, type SoftwareType } from '@steward/contract';
import { Command } from 'commander';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';
import { parseListedId, parseText, parseType, parseVersion } from './rule-arguments.ts';

type JsonOption = { json?: true };
type ReasonOptions = JsonOption & { reason: string };

const parseReason = parseText(QUARANTINE_REASON_MAX_LENGTH);

export function createQuarantineCommand(context: CommandContext): Command {
  const quarantine = new Command('quarantine').description(
    'list, add and lift quarantined versions, which Steward installs on no site',
  );

  quarantine
    .command('list')
    .description('list quarantined versions, the open ones first')
    .option('--json', 'print one JSON document')
    .action(async ({ json }: JsonOption) => {
      const versions = await context.withPanel((panel) => panel.services.quarantine.list());
      if (json) return context.printJson(versions);
      if (versions.length === 0) return context.printLine('No version is quarantined.');
      context.printTable(
        ['ID', 'TYPE', 'SLUG', 'VERSION', 'SINCE', 'LIFTED', 'REASON'],
        versions.map((each) => [
          ...[String(each.id), each.item_type, each.slug, each.version, each.created_at],
          ...[each.lifted_at ?? 'no', each.reason.replace(/\s+/g, ' ')],
        ]),
      );
    });

  quarantine
    .command('add')
    .description('quarantine a version: no run, schedule or user installs it')
    .argument('<type>', 'plugin, theme or core', parseType)
    .argument('<slug>', 'folder/file.php of a plugin, folder of a theme, or core')
    .argument('<version>', 'the version', parseVersion)
    .requiredOption('--reason <text>', 'the reason', parseReason)
    .option('--json', 'print one JSON document')
    .action(async (item_type: SoftwareType, slug: string, version: string, options) => {
      const { reason, json } = options as ReasonOptions;
      const added = await context.withPanel((panel) =>
        panel.services.quarantine.add({ item_type, slug, version, reason }, COMMAND_LINE),
      );
      if (json) context.printJson(added);
      else context.printLine(`Quarantined ${added.name} ${added.version} (id ${added.id}).`);
    });

  quarantine
    .command('lift')
    .description('lift the quarantine of a version')
    .argument('<id>', 'id from: steward quarantine list', parseListedId)
    .requiredOption('--reason <text>', 'the reason; the audit log keeps it', parseReason)
    .option('--json', 'print one JSON document')
    .action(async (id: number, { reason, json }: ReasonOptions) => {
      const lifted = await context.withPanel((panel) =>
        panel.services.quarantine.lift(id, reason, COMMAND_LINE),
      );
      if (json) context.printJson(lifted);
      else context.printLine(`Lifted the quarantine of ${lifted.name} ${lifted.version}.`);
    });

  return quarantine;
}
