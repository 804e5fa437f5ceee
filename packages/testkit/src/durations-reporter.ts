import type { Reporter, TestModule } from 'vitest/node';

type Row = { seconds: number; what: string };
type ReportedHook = Parameters<NonNullable<Reporter['onHookEnd']>>[0];

const HOOKS_SHOWN = 40;

/** `npm run test:durations`: seconds for each file and for each hook (to a tenth), slowest first. */
export default class DurationsReporter implements Reporter {
  private files: Row[] = [];
  private hooks: Row[] = [];
  private readonly startedAt = new Map<string, number>();

  onHookStart(hook: ReportedHook): void {
    this.startedAt.set(keyOf(hook), performance.now());
  }

  onHookEnd(hook: ReportedHook): void {
    const startedAt = this.startedAt.get(keyOf(hook));
    if (startedAt === undefined) return;
    this.startedAt.delete(keyOf(hook));
    const module = hook.entity.type === 'module' ? hook.entity : hook.entity.module;
    const of = hook.entity.type === 'module' ? '' : ` of ${hook.entity.fullName}`;
    this.hooks.push({
      seconds: (performance.now() - startedAt) / 1000,
      what: `${hook.name}  ${module.relativeModuleId}${of}`,
    });
  }

  onTestModuleEnd(module: TestModule): void {
    const of = module.diagnostic();
    const milliseconds =
      of.duration + of.collectDuration + of.setupDuration + of.environmentSetupDuration;
    const tests = [...module.children.allTests()].length;
    this.files.push({
      seconds: milliseconds / 1000,
      what: `[${module.project.name}]  ${module.relativeModuleId} (${tests} tests)`,
    });
  }

  onTestRunEnd(): void {
    print('Seconds per file', this.files);
    print(`Seconds per hook, the ${HOOKS_SHOWN} slowest`, this.hooks, HOOKS_SHOWN);
  }
}

const keyOf = (hook: ReportedHook) => `${hook.name} ${hook.entity.id}`;

function print(title: string, rows: Row[], most = rows.length): void {
  const total = rows.reduce((sum, { seconds }) => sum + seconds, 0);
  const lines = rows
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, most)
    .map(({ seconds, what }) => `${seconds.toFixed(1).padStart(8)}  ${what}`);
  process.stdout.write(`\n${title} (${total.toFixed(1)} in all)\n${lines.join('\n')}\n`);
}
