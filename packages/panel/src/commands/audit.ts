import { AUDIT_PAGE_SIZE, AUDIT_PAGE_SIZE_MAX } from '@steward/contract';
import { Command, InvalidArgumentError } from 'commander';
import {
  type AuditFilter,
  type AuditLog,
  describeMissingTrigger,
  type Verification,
} from '../features/audit/index.ts';
import { parseTime } from './arguments.ts';
import { createDetachCommand, createVerifyExportCommand } from './audit-detach.ts';
import { COMMAND_LINE, type CommandContext } from './command-context.ts';

const REASON_LENGTH_MAX = 500;

type VerifyOptions = { expectHead?: string; json?: true };
type ListOptions = AuditFilter & { site?: number; before?: number; limit: number; json?: true };

export function createAuditCommand(context: CommandContext): Command {
  const audit = new Command('audit').description('read and verify the audit log');

  audit
    .command('verify')
    .description('verify that no record was changed, removed or inserted outside Steward')
    .option(
      '--expect-head <hash>',
      'hash of an earlier head, which must still be in the hash chain',
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
      const problems = listProblems(verification);
      if (problems.length > 0) throw new Error(problems.join(' '));
      // An alarm is one of the problems above, so a finding is a notice here.
      const { records, head, sealed_head: notice } = verification;
      if (notice) {
        context.printLine(
          `Audit log partly verified: ${records} records are intact, but Steward may not detect removed records.`,
        );
        context.printLine(notice.message);
      } else {
        context.printLine(`Audit log verified: ${records} records, no problems.`);
      }
      if (verification.detached) {
        const { records: count, before } = verification.detached;
        context.printLine(
          `${count} records from before ${before} are detached. Only their hash chain was verified. Verify their content with npx steward audit verify-export FILE.`,
        );
      }
      if (head) context.printLine(`Head (store it outside the panel): ${head}`);
    });

  audit
    .command('accept-head')
    .description('accept the current audit log after you restored an older database')
    .requiredOption('--reason <text>', 'reason, stored in the audit log', parseReason)
    .option('--json', 'print one JSON document')
    .action(async ({ reason, json }: { reason: string; json?: true }) => {
      const accepted = await context.withPanel((panel) =>
        panel.services.acceptAuditHead(reason, COMMAND_LINE),
      );
      if (json) return context.printJson({ accepted });
      if (!accepted)
        return context.printLine('The sealed head is valid. There is nothing to accept.');
      context.printLine('Accepted and recorded in the audit log. The finding was:');
      context.printLine(accepted.message);
    });

  audit
    .command('list')
    .description('list records, newest first')
    .option('--actor <id>', 'user id, or system')
    .option('--action <word>', 'action')
    .option('--entity-type <word>', 'entity type')
    .option('--entity-id <id>', 'entity id')
    .option('--site <id>', 'site id', parseNumber)
    .option('--from <iso>', 'start, inclusive: a date or a date and time', (text) =>
      parseTime(text),
    )
    .option('--to <iso>', 'end, exclusive: a date or a date and time', (text) => parseTime(text))
    .option('--text <text>', 'text in the record')
    .option(
      '--limit <n>',
      `number of records, at most ${AUDIT_PAGE_SIZE_MAX}`,
      parseLimit,
      AUDIT_PAGE_SIZE,
    )
    .option('--before <id>', 'only records older than this record', parseNumber)
    .option('--json', 'print one JSON document')
    .action(async ({ site, before, limit, json, ...filter }: ListOptions) => {
      const page = await context.withPanel((panel) =>
        listNamedRecords(panel.services.auditLog, { ...filter, siteId: site }, { before, limit }),
      );
      if (json) context.printJson(page);
      else printPage(context, page);
    });

  audit.addCommand(createDetachCommand(context));
  audit.addCommand(createVerifyExportCommand(context));
  return audit;
}

async function listNamedRecords(log: AuditLog, ...query: Parameters<AuditLog['list']>) {
  const page = await log.list(...query);
  return { ...page, records: await log.addNames(page.records) };
}

type NamedPage = Awaited<ReturnType<typeof listNamedRecords>>;

function printPage(context: CommandContext, { records, next_before }: NamedPage): void {
  if (records.length === 0) {
    context.printLine(
      next_before === null
        ? 'No matching records.'
        : `No matches among the records searched so far. To search older records, add --before ${next_before}.`,
    );
    return;
  }
  context.printTable(
    ['ID', 'AT', 'ACTOR', 'ACTION', 'ENTITY', 'SITE', 'NAME'],
    records.map((record) => [
      String(record.id),
      record.at,
      record.actor,
      record.action,
      `${record.entity_type} ${record.entity_id}`,
      String(record.site_id ?? ''),
      record.entity_name ?? '',
    ]),
  );
  if (next_before !== null) context.printLine(`For older records, add --before ${next_before}.`);
}

function listProblems(verification: Verification): string[] {
  const { broken, unguarded, expected_head_found, sealed_head: sealedHeadFinding } = verification;
  const problems: string[] = [];
  if (broken) problems.push(broken.message);
  // The check of the sealed head may report the same broken record: print it once.
  const isSameProblem = sealedHeadFinding?.problem === 'chain_broken' && broken !== null;
  if (sealedHeadFinding?.severity === 'alarm' && !isSameProblem) {
    problems.push(sealedHeadFinding.message);
  }
  if (expected_head_found === false) {
    problems.push(
      'The expected head is not in the hash chain: the end of the chain was removed or rewritten.',
    );
  }
  if (unguarded.length > 0) problems.push(describeMissingTrigger(unguarded).message);
  return problems;
}

function parseNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
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
  throw new InvalidArgumentError(
    'It must be a head hash of 64 characters, as printed by steward audit verify.',
  );
}
