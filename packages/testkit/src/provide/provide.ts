import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { detectParts, findMissingParts, readSkipVariables } from './parts.ts';
import { createPlan, describeMissingForTests } from './provide-plan.ts';

/** Installs the software that the tests need, or prints how to install it. */
function provide(): number {
  const skipped = readSkipVariables(process.env);
  for (const name of skipped)
    print(`${name}=1: not installing software that only the skipped tests need.`);

  const installed = detectParts();
  const plan = createPlan(findMissingParts(installed, skipped), {
    osRelease: existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '',
    isRoot: process.getuid?.() === 0,
    hasApt: installed.programs.includes('apt-get'),
  });
  if (plan.step === 'continue') return 0;
  if (plan.step === 'fail') return fail(plan.message);

  print(`Installing ${plan.packages.join(' ')}`);
  // Retry once: a mirror may fail for a moment.
  const isInstalled = install(plan.packages) || install(plan.packages);
  const missing = findMissingParts(detectParts(), skipped);
  if (missing.length > 0) return fail(describeMissingForTests(missing));
  return isInstalled ? 0 : fail('apt-get failed. See its output above.');
}

function install(packages: string[]): boolean {
  return aptGet(['update']) && aptGet(['install', '-y', '--no-install-recommends', ...packages]);
}

function aptGet(args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', args, { stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(message: string): number {
  process.stderr.write(`${message}\n`);
  return 1;
}

process.exitCode = provide();
