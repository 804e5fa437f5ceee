import type { Reporter, TestModule } from 'vitest/node';

type Row = { seconds: number; name: string };
type ReportedHook = Parameters<NonNullable<Reporter['onHookEnd']>>[0];

const HOOKS_SHOWN = 40;

/** `npm run test:durations`: prints the seconds per file and per hook, slowest first. */
export default class DurationsReporter implements Reporter {
  private files: Row[] = [];
  private hooks: Row[] = [];
  private readonly startedAt = new Map<string, number>();

  onHookStart(hook: ReportedHook): void {
    this.startedAt.set(hookKey(hook), performance.now());
  }

  onHookEnd(hook: ReportedHook): void {
    const startedAt = this.startedAt.get(hookKey(hook));
    if (startedAt === undefined) return;
    this.startedAt.delete(hookKey(hook));
    const module = hook.entity.type === 'module' ? hook.entity : hook.entity.module;
    const suite = hook.entity.type === 'module' ? '' : ` of ${hook.entity.fullName}`;
    this.hooks.push({
      seconds: (performance.now() - startedAt) / 1000,
      name: `${hook.name}  ${module.relativeModuleId}${suite}`,
    });
  }

  onTestModuleEnd(module: TestModule): void {
    const timing = module.diagnostic();
    const milliseconds =
      timing.duration +
      timing.collectDuration +
      timing.setupDuration +
      timing.environmentSetupDuration;
    const tests = [...module.children.allTests()].length;
    this.files.push({
      seconds: milliseconds / 1000,
      name: `[${module.project.name}]  ${module.relativeModuleId} (${tests} tests)`,
    });
  }

  onTestRunEnd(): void {
    print('Seconds per file', this.files);
    print(`Seconds per hook (${HOOKS_SHOWN} slowest)`, this.hooks, HOOKS_SHOWN);
  }
}

const hookKey = (hook: ReportedHook) => `${hook.name} ${hook.entity.id}`;

function print(title: string, rows: Row[], maxRows = rows.length): void {
  const total = rows.reduce((sum, { seconds }) => sum + seconds, 0);
  const lines = rows
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, maxRows)
    .map(({ seconds, name }) => `${seconds.toFixed(1).padStart(8)}  ${name}`);
  process.stdout.write(`\n${title} (${total.toFixed(1)} in total)\n${lines.join('\n')}\n`);
}
