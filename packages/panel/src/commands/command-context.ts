import { openPanel, type Panel } from '../panel.ts';
import type { AuditOrigin } from '../platform/audit-origin.ts';
import { type Config, loadConfig } from '../platform/config.ts';
import { createLogger } from '../platform/logger.ts';
import { createOutput, type Output } from './output.ts';
import { readSecret } from './read-secret.ts';

/** The origin of changes from the command line, for the audit log. */
export const COMMAND_LINE: AuditOrigin = { actor: 'system', via: 'command_line' };

/** The environment and the streams of a command. `process` satisfies this type. */
export type CommandIo = {
  env: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadableStream;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
};

export type CommandContext = Output & {
  env: NodeJS.ProcessEnv;
  /** Reads a password or a key from standard input. */
  readSecret(): Promise<string>;
  /** Opens the panel for one command and closes it afterwards. */
  withPanel<T>(work: (panel: Panel, config: Config) => Promise<T>): Promise<T>;
  /** Sets exit code 1 for a command that printed its result. */
  endWithFailure(): void;
  getExitCode(): 0 | 1;
};

export function createCommandContext(io: CommandIo): CommandContext {
  const { env, stdout } = io;
  let exitCode: 0 | 1 = 0;
  return {
    env,
    ...createOutput((text) => stdout.write(text)),
    // A function: only commands that need a secret open standard input.
    readSecret: () => readSecret(io.stdin),
    withPanel: (work) => withPanel(env, work),
    endWithFailure() {
      exitCode = 1;
    },
    getExitCode: () => exitCode,
  };
}

/**
 * Works with and without a running panel: connects to a running embedded database, or starts the database and stops it
 * afterwards.
 */
async function withPanel<T>(
  env: NodeJS.ProcessEnv,
  work: (panel: Panel, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig(env);
  // No logs: standard error must contain only the error line.
  const panel = await openPanel(config, createLogger('silent'));
  try {
    return await work(panel, config);
  } finally {
    // An error during close must not hide a committed result, such as a password that is shown only once.
    await panel.close().catch(() => {});
  }
}
