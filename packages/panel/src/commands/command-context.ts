import { openPanel, type Panel } from '../panel.ts';
import { type Config, loadConfig } from '../platform/config.ts';
import { createLogger } from '../platform/logger.ts';
import type { Origin } from '../platform/origin.ts';
import { createOutput, type Output } from './output.ts';
import { readSecret } from './secret-input.ts';

/** The actor of a change made on the command line, for the audit log. */
export const COMMAND_LINE: Origin = { actor: 'system', via: 'command_line' };

/** The environment and the streams of a command; `process` has them all. */
export type CommandIo = {
  env: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadableStream;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
};

export type CommandContext = Output & {
  env: NodeJS.ProcessEnv;
  /** A password or a key from standard input. */
  readSecret(): Promise<string>;
  /** Opens the panel for one command and closes it again. */
  withPanel<T>(work: (panel: Panel, config: Config) => Promise<T>): Promise<T>;
  /** Ends the command with exit code 1 although its result was printed. */
  endWithFailure(): void;
  exitCode(): 0 | 1;
};

export function createCommandContext(io: CommandIo): CommandContext {
  const { env, stdout } = io;
  let exitCode: 0 | 1 = 0;
  return {
    env,
    ...createOutput((text) => stdout.write(text)),
    // Only a command that reads it opens standard input.
    readSecret: () => readSecret(io.stdin),
    withPanel: (work) => withPanel(env, work),
    endWithFailure() {
      exitCode = 1;
    },
    exitCode: () => exitCode,
  };
}

/**
 * Works beside a running panel and without one: an embedded database that is up is joined, one that
 * is not is started and stopped.
 */
async function withPanel<T>(
  env: NodeJS.ProcessEnv,
  work: (panel: Panel, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig(env);
  // Standard error is for the one line that says what went wrong.
  const panel = await openPanel(config, createLogger('silent'));
  try {
    return await work(panel, config);
  } finally {
    // A fault in closing must not hide a result that is committed, such as a key shown only once.
    await panel.close().catch(() => {});
  }
}
