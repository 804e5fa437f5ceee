import type { Reporter, TestModule } from 'vitest/node';

/**
 * Names every failed test once more, in one line each, below the summary. The reports of the failures
 * can be longer than what a terminal or the log of a CI server keeps.
 */
export default class FailuresReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap(failuresOf);
    if (lines.length > 0) process.stdout.write(`\nFailed:\n${lines.join('\n')}\n`);
  }
}

function failuresOf(module: TestModule): string[] {
  const where = `[${module.project.name}] ${module.relativeModuleId}`;
  const tests = [...module.children.allTests('failed')].map(
    (test) => `  ${where} > ${test.fullName}${reason(test.result().errors)}`,
  );
  const hooks = [module, ...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map((error) => `  ${where}, outside of a test${reason([error])}`),
  );
  return [...hooks, ...tests];
}

function reason(errors: readonly { message?: string }[] | undefined): string {
  const [firstLine = ''] = errors?.[0]?.message?.split('\n') ?? [];
  return firstLine === '' ? '' : `: ${firstLine.slice(0, 300)}`;
}
