import { type Browser, chromium } from 'playwright-core';
import { BROWSER } from '../provide/parts.ts';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const LAUNCH = { executablePath: BROWSER, args: ARGS };

/** Launches the Chromium installed on the system. */
export const launchChromium = (): Promise<Browser> => chromium.launch(LAUNCH);

/** Starts one Chromium for several processes. Pass `endpoint` to `connectToChromium`. */
export async function startSharedChromium() {
  const server = await chromium.launchServer(LAUNCH);
  return { endpoint: server.wsEndpoint(), stop: () => server.close() };
}

export const connectToChromium = (endpoint: string): Promise<Browser> => chromium.connect(endpoint);
