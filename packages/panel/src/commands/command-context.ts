import { type Config, loadConfig } from '../config.ts';
import type { Origin } from '../features/audit/audit.service.ts';
import { createLogger } from '../lib/logger.ts';
import { openPanel, type Panel } from '../panel.ts';

/** Who changes something from the command line, as far as the audit log is concerned. */
export const COMMAND_LINE: Origin = { actor: 'system', via: 'command_line' };

/**
 * Opens the panel for one command and closes it again. Works beside a running panel and without
 * one: an embedded database that is up is joined, one that is not is started and stopped.
 */
export async function withPanel<T>(work: (panel: Panel, config: Config) => Promise<T>): Promise<T> {
  const config = loadConfig(process.env);
  // Standard error is for the one line that says what went wrong.
  const panel = await openPanel(config, createLogger('silent'));
  try {
    return await work(panel, config);
  } finally {
    // A fault in closing must not hide a result that is committed, such as a key shown only once.
    await panel.close().catch(() => {});
  }
}
