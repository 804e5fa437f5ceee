import { AUDIT_PAGE_SIZE, AUDIT_PAGE_SIZE_MAX } from '@steward/contract';
import { Command, InvalidArgumentError } from 'commander';
import type { Verification } from '../features/audit/audit-chain.service.ts';
import type { AuditFilter, AuditPage } from '../features/audit/audit-log.service.ts';
import { parseTime } from './arguments.ts';
import type { CommandContext } from './command-context.ts';

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

function faultsIn({ broken, unguarded, expected_head_found }: Verification): string[] {
  const faults: string[] = [];
  if (broken) faults.push(broken.message);
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

function parseHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be a hash as audit verify prints it, 64 characters.');
}
