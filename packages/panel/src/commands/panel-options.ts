import type { Command } from 'commander';
import { findPanelUrl, type RemoteOptions } from './panel-api/remote-settings.ts';

/** The options of commands that also work with a remote panel. */
export type PanelOptions = RemoteOptions & { json?: true };

export function addPanelOptions(command: Command): Command {
  return command
    .option(
      '--panel <url>',
      'address of the panel (default: STEWARD_URL, or the panel of this machine)',
    )
    .option('--insecure-http', 'allow an http address, although others can read the token')
    .option('--json', 'print one JSON document');
}

/**
 * Throws if STEWARD_URL is set and the command works on this machine only: it could change the wrong panel. `serve` is
 * allowed, because it clearly starts a panel here.
 */
export function assertWorksWithPanel(command: Command, env: NodeJS.ProcessEnv): void {
  const isRemoteCommand = command.options.some(({ long }) => long === '--panel');
  if (isRemoteCommand || command.name() === 'serve' || findPanelUrl(env) === null) return;
  throw new Error(
    "This command works on the panel's own machine only. Run it there, or unset STEWARD_URL to use the panel of this machine.",
  );
}
