import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { lookAround, missingParts, skippedParts } from './parts.ts';
import { planFor, whatIsMissing } from './provide-plan.ts';

/** Brings what the tests need of the machine, or says what that is. */
function provide(): number {
  const skipped = skippedParts(process.env);
  for (const name of skipped) say(`${name}=1: what it names is neither looked for nor tested.`);

  const present = lookAround();
  const plan = planFor(missingParts(present, skipped), {
    osRelease: existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '',
    isRoot: process.getuid?.() === 0,
    hasApt: present.programs.includes('apt-get'),
  });
  if (plan.step === 'go on') return 0;
  if (plan.step === 'give up') return fail(plan.message);

  say(`Installing ${plan.packages.join(' ')}`);
  // A mirror may fail for a moment.
  const isInstalled = install(plan.packages) || install(plan.packages);
  const missing = missingParts(lookAround(), skipped);
  if (missing.length > 0) return fail(whatIsMissing(missing));
  return isInstalled ? 0 : fail('apt-get reported a failure, see above.');
}

function install(packages: string[]): boolean {
  return aptGet(['update']) && aptGet(['install', '-y', '--no-install-recommends', ...packages]);
}

function aptGet(args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', args, { stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(message: string): number {
  process.stderr.write(`${message}\n`);
  return 1;
}

process.exitCode = provide();
