import { type Browser, chromium } from 'playwright-core';
import { BROWSER } from '../provide/parts.ts';

/** Chromium makes no requests of its own with these. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const LAUNCH = { executablePath: BROWSER, args: QUIET };

/** The system's own Chromium. */
export const launchChromium = (): Promise<Browser> => chromium.launch(LAUNCH);

/** One Chromium that several processes use; `endpoint` is what `connectToChromium` takes. */
export async function startSharedChromium() {
  const server = await chromium.launchServer(LAUNCH);
  return { endpoint: server.wsEndpoint(), stop: () => server.close() };
}

export const connectToChromium = (endpoint: string): Promise<Browser> => chromium.connect(endpoint);
