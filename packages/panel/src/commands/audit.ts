import { AUDIT_PAGE_SIZE, AUDIT_PAGE_SIZE_MAX } from '@steward/contract';
import { Command, InvalidArgumentError } from 'commander';
import type { AuditFilter, AuditPage, Verification } from '../features/audit/index.ts';
import { parseTime } from './arguments.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

const REASON_LENGTH_MAX = 500;

type VerifyOptions = { expectHead?: string; json?: true };
type ListOptions = AuditFilter & { site?: number; before?: number; limit: number; json?: true };

export function auditCommand(context: CommandContext): Command {
  const audit = new Command('audit').description('read the audit log and prove it');

  audit
    .command('verify')
    .description('prove that no record was changed, removed or slipped in')
    .option(
      '--expect-head <hash>',
      'the head of an earlier time: it must still be there',
      parseHash,
    )
    .option('--json', 'print one JSON document')
    .action(async ({ expectHead, json }: VerifyOptions) => {
      const verification = await context.withPanel((panel) =>
        panel.services.auditChain.verify({ expectedHead: expectHead }),
      );
      if (json) {
        context.printJson(verification);
        if (!verification.ok) context.endWithFailure();
        return;
      }
      const faults = faultsIn(verification);
      if (faults.length > 0) throw new Error(faults.join(' '));
      context.printLine(`The audit log is in order: ${verification.records} records.`);
      if (verification.head) context.printLine(`Its head, to keep elsewhere: ${verification.head}`);
      if (verification.sealed_head) context.printLine(verification.sealed_head.message);
    });

  audit
    .command('accept-head')
    .description('accept the audit log as it is, after an older database was restored')
    .requiredOption('--reason <text>', 'why it is right; it is recorded', parseReason)
    .option('--json', 'print one JSON document')
    .action(async ({ reason, json }: { reason: string; json?: true }) => {
      const accepted = await context.withPanel((panel) =>
        panel.services.acceptAuditHead(reason, COMMAND_LINE),
      );
      if (json) return context.printJson({ accepted });
      if (!accepted) return context.printLine('The sealed head is in order: nothing to accept.');
      context.printLine('Accepted and recorded. This was the finding:');
      context.printLine(accepted.message);
    });

  audit
    .command('list')
    .description('list records, newest first')
    .option('--actor <id>', 'by whom: the id of a user, or system')
    .option('--action <word>', 'what was done')
    .option('--entity-type <word>', 'to what kind of thing')
    .option('--entity-id <id>', 'to which of them')
    .option('--site <id>', 'to which site', parseNumber)
    .option('--from <iso>', 'from this day or moment on', (text) => parseTime(text))
    .option('--to <iso>', 'before this day or moment', (text) => parseTime(text))
    .option('--text <text>', 'with this somewhere in it')
    .option('--limit <n>', `how many, ${AUDIT_PAGE_SIZE_MAX} at most`, parseLimit, AUDIT_PAGE_SIZE)
    .option('--before <id>', 'go on below this record', parseNumber)
    .option('--json', 'print one JSON document')
    .action(async ({ site, before, limit, json, ...filter }: ListOptions) => {
      const page = await context.withPanel((panel) =>
        panel.services.auditLog.list({ ...filter, siteId: site }, { before, limit }),
      );
      if (json) context.printJson(page);
      else showPage(context, page);
    });

  return audit;
}

function showPage(context: CommandContext, { records, next_before }: AuditPage): void {
  if (records.length > 0) {
    context.printTable(
      ['ID', 'AT', 'ACTOR', 'ACTION', 'ENTITY', 'SITE'],
      records.map((record) => [
        String(record.id),
        record.at,
        record.actor,
        record.action,
        `${record.entity_type} ${record.entity_id}`,
        String(record.site_id ?? ''),
      ]),
    );
  }
  if (next_before !== null) context.printLine(`Go on with --before ${next_before}.`);
  else if (records.length === 0) context.printLine('There are no such records.');
}

function faultsIn(verification: Verification): string[] {
  const { broken, unguarded, expected_head_found, sealed_head } = verification;
  const faults: string[] = [];
  if (broken) faults.push(broken.message);
  // The sealed head may have met the same broken record.
  const isSame = sealed_head?.problem === 'chain_broken' && broken !== null;
  if (sealed_head?.severity === 'alarm' && !isSame) faults.push(sealed_head.message);
  if (expected_head_found === false) {
    faults.push('The head you expect is not in the chain: its end was cut off or made anew.');
  }
  if (unguarded.length > 0) {
    faults.push(
      `The trigger that keeps records from being changed is switched off or gone: ${unguarded.join(', ')}.`,
    );
  }
  return faults;
}

function parseNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

function parseLimit(text: string): number {
  const limit = parseNumber(text);
  if (limit <= AUDIT_PAGE_SIZE_MAX) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${AUDIT_PAGE_SIZE_MAX}.`);
}

function parseReason(text: string): string {
  const reason = text.trim();
  if (reason !== '' && reason.length <= REASON_LENGTH_MAX) return reason;
  throw new InvalidArgumentError(`It must have 1 to ${REASON_LENGTH_MAX} characters.`);
}

function parseHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be a hash as audit verify prints it, 64 characters.');
}
