import type { TestProject } from 'vitest/node';
import { assertSoftwareOfTests } from '../provide/assert-parts.ts';
import { shareResource } from '../share-resource.ts';
import { startSharedChromium } from './chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    chromium: string;
  }
}

/** Starts one Chromium for the whole test run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  assertSoftwareOfTests('SKIP_BROWSER');
  const { endpoint, stop } = await shareResource('chromium', startSharedChromium);
  project.provide('chromium', endpoint);
  return stop;
}
