import { ensurePanelBuilt, STEWARD_BUILD } from '@steward/panel/ready';
import type { TestProject } from 'vitest/node';
import { shareResource } from './share-resource.ts';

/** Compiles the panel before the tests and after each change in watch mode, so that no test starts an old build. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  project.onTestsRerun(ensurePanelBuilt);
  const { stop } = await shareResource('program', async () => {
    await ensurePanelBuilt();
    // Processes of the tests inherit this. Outside of tests, panels start from the source code.
    process.env.STEWARD_BUILD = STEWARD_BUILD;
    return { stop: async () => {} };
  });
  return stop;
}
