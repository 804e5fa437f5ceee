import { type Browser, chromium } from 'playwright-core';
import { BROWSER } from '../../wordpress/test-bed/parts.ts';

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The system's own Chromium, which asks nobody anything by itself. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: BROWSER, args: QUIET });
