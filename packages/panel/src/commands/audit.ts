import { Command, InvalidArgumentError } from 'commander';
import type { Verification } from '../features/audit/audit-chain.service.ts';
import { withPanel } from './command-context.ts';
import { printJson, printLine } from './output.ts';

type VerifyOptions = { expectHead?: string; json?: true };

export function auditCommand(): Command {
  const audit = new Command('audit').description('prove the audit log');

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
      const verification = await withPanel((panel) =>
        panel.services.auditChain.verify({ expectedHead: expectHead }),
      );
      if (json) {
        printJson(verification);
        if (!verification.ok) process.exitCode = 1;
        return;
      }
      const faults = faultsIn(verification);
      if (faults.length > 0) throw new Error(faults.join(' '));
      printLine(`The audit log is in order: ${verification.records} records.`);
      if (verification.head) printLine(`Its head, to keep elsewhere: ${verification.head}`);
    });

  return audit;
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

function parseHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('It must be a hash as audit verify prints it, 64 characters.');
}
