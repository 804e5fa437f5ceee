#!/usr/bin/env node
import { type AddressInfo, isIPv6 } from 'node:net';
import { Command } from 'commander';
import { createSiteAgent } from './agent.ts';
import { isLicensed, isTransient } from './check-in.ts';
import { createSiteServer } from './node-server.ts';
import { sha256 } from './panel-client.ts';
import { PanelRefused, PanelUnavailable } from './panel-errors.ts';
import { createDirectoryPlatform } from './platforms/directory/index.ts';

type Options = {
  root: string;
  feed: string;
  siteUrl?: string;
  panel?: string;
  key?: string;
  port: string;
  host: string;
  acceptUnsignedCalls?: true;
};

const program = new Command('steward-agent')
  .description('Connect the site in --root to a Steward panel.')
  .requiredOption('--root <folder>', 'the site folder with plugins/, themes/ and core/')
  .requiredOption('--feed <folder or url>', 'the folder or URL with feed.json and the packages')
  .option('--panel <url>', 'the panel to connect to (default: the stored one)')
  .option(
    '--key <license key>',
    'license key or enrolment code, or set LICENSE_KEY (default: the stored key)',
  )
  .option('--site-url <url>', 'the public URL at which the panel calls this site')
  .option('--port <n>', 'the port to listen on', '8090')
  .option('--host <address>', 'the address to listen on', '127.0.0.1')
  .option('--accept-unsigned-calls', 'accept calls with the site key and no signature')
  .action(run);

async function run(commandOptions: Options): Promise<void> {
  const { root, feed, siteUrl, panel, key, port, host } = commandOptions;
  const acceptsUnsignedCalls = commandOptions.acceptUnsignedCalls ?? false;
  const platform = await createDirectoryPlatform({ root, feed });
  const { options } = platform.state;
  const server = createSiteServer(() => agent.handle);
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(explainListenError(error, host, port));
    server.once('error', fail).listen(Number(port), host, resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;
  const stored = await options.read();
  const listenUrl = `http://${isIPv6(host) ? `[${host}]` : host}:${boundPort}`;
  const address = siteUrl ?? stored.site_url ?? listenUrl;
  const agent = createSiteAgent({
    platform,
    options,
    siteUrl: address,
    acceptsUnsignedCalls,
    onError: printError,
  });
  print(`The site is available at ${address}`);
  if (acceptsUnsignedCalls)
    print('Unsigned calls are accepted: any client with the site key can call this site.');

  const licenseKey = key ?? process.env.LICENSE_KEY;
  const isUnchanged =
    stored.service_panel_url === panel &&
    stored.site_url === address &&
    licenseKey !== undefined &&
    (stored.service_license_key === licenseKey || stored.license_key_sha256 === sha256(licenseKey));
  if (panel && licenseKey && !isUnchanged) {
    await agent.panelClient.activate(panel, licenseKey);
    print(`Connected to ${panel}`);
  }
  await platform.refreshUpdateChecks().catch(printError);
  if ((await options.read()).service_license_key) await agent.reportInventory().catch(printError);
  else print('Not connected. Start the agent once with --panel and --key.');
  const stopCheckIns = agent.startCheckIns();

  async function printError(error: unknown): Promise<void> {
    const { message } = error as Error;
    if (!(error instanceof PanelUnavailable || error instanceof PanelRefused))
      return print(message);
    const isStillLicensed = isLicensed(await options.read(), new Date());
    const license = isStillLicensed ? 'The license is still valid.' : 'The license is not valid.';
    const retry = isTransient(error) ? ' The agent tries again automatically.' : '';
    print(`${message} ${license}${retry}`);
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      stopCheckIns();
      server.close();
      server.closeIdleConnections();
      // Finish a running update even if its caller disconnected.
      await agent.whenIdle();
      process.exit(0);
    });
  }
}

function explainListenError(error: NodeJS.ErrnoException, host: string, port: string): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new Error(`Port ${port} of ${host} is in use. Choose another one with --port.`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`steward-agent: ${(error as Error).message}\n`);
  process.exit(1);
}
