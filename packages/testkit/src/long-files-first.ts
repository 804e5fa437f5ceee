import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest. A long file that starts last would run alone at the end, with an idle core. Vitest knows
 * durations only from earlier runs; in a first run it orders files by their size.
 */
const LONG_FILES = [
  'wordpress/test/halted-rollout.test.ts',
  'wordpress/test/conformance-extensions.test.ts',
  'wordpress/test/conformance-signed.test.ts',
  'wordpress/test/conformance.test.ts',
  'wordpress/test/broken-pages.test.ts',
  'wordpress/test/settings-page.browser.test.ts',
  'wordpress/test/trust.test.ts',
  'wordpress/test/enrolment-code.test.ts',
  'wordpress/test/self-update-faults.test.ts',
  'wordpress/test/state-move.test.ts',
  'wordpress/test/check-in.test.ts',
  'wordpress/test/truth.test.ts',
  'wordpress/test/no-loopback.test.ts',
  'wordpress/test/mixed-fleet-run.test.ts',
  'demo/demo.process.test.ts',
  'packages/panel/test/operate/rolling-upgrade.test.ts',
  'packages/panel/test/operate/docs-commands.test.ts',
  'packages/panel/test/process/rollout-killed-worker.test.ts',
  'packages/panel/test/process/runs-killed-worker.test.ts',
  'packages/panel/test/process/embedded-postgres.test.ts',
  'packages/panel/test/process/schedules-scheduler.test.ts',
  'packages/panel/test/process/runs-restarted.test.ts',
  'packages/panel/test/process/runs-two-workers.test.ts',
  'packages/panel/test/process/growth.test.ts',
];

/** Orders the files of a tier: long files first, then as Vitest does. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const index = LONG_FILES.findIndex((path) => moduleId.endsWith(`/${path}`));
      return index === -1 ? LONG_FILES.length : index;
    };
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted
        .filter((file) => file.project === project)
        .toSorted((one, other) => rank(one) - rank(other)),
    );
  }
}
