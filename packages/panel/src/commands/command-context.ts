import { createInterface } from 'node:readline';
import { openPanel, type Panel } from '../panel.ts';
import { type Config, loadConfig } from '../platform/config.ts';
import { createLogger } from '../platform/logger.ts';
import { createOutput, type Output, toTerminalText } from './output.ts';
import { connectPanel, type PanelConnection } from './panel-api/connect-panel.ts';
import type { PanelApi } from './panel-api/panel-api.ts';
import type { RemoteOptions } from './panel-api/remote-settings.ts';
import { readSecret } from './read-secret.ts';

export { COMMAND_LINE } from '../platform/audit-origin.ts';

type Terminal = { write(text: string): unknown; isTTY?: boolean; columns?: number };

/** The environment and the streams of a command. `process` satisfies this type. */
export type CommandIo = {
  env: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Terminal;
  stderr: Terminal;
};

export type CommandContext = Output & {
  env: NodeJS.ProcessEnv;
  /** Reads a password or a key from standard input. */
  readSecret(): Promise<string>;
  /** Opens the panel for one command and closes it afterwards. */
  withPanel<T>(work: (panel: Panel, config: Config) => Promise<T>): Promise<T>;
  /** Connects to the panel, local or remote, for one command. */
  withApi<T>(
    options: RemoteOptions,
    work: (api: PanelApi, connection: PanelConnection) => Promise<T>,
  ): Promise<T>;
  /** Asks a yes/no question on the terminal. Null: there is no terminal. */
  confirm(question: string): Promise<boolean | null>;
  /** The terminal for a progress bar; null if standard error is not one. */
  terminal: Terminal | null;
  /** Prints a remark to standard error, so that standard output contains only the result. */
  printNotice(line: string): void;
  /** Sets the exit code of a command that printed its result. */
  endWith(code: number): void;
  endWithFailure(): void;
  getExitCode(): number;
};

export function createCommandContext(io: CommandIo): CommandContext {
  const { env, stdout, stderr } = io;
  let exitCode = 0;
  const endWith = (code: number) => {
    exitCode = code;
  };
  return {
    env,
    ...createOutput((text) => stdout.write(text)),
    // A function: only commands that need a secret open standard input.
    readSecret: () => readSecret(io.stdin),
    withPanel: (work) => withPanel(env, work),
    withApi: (options, work) => withApi(env, options, work),
    confirm: (question) => confirm(io, question),
    terminal: stderr.isTTY ? stderr : null,
    printNotice: (line) => void stderr.write(`${toTerminalText(line)}\n`),
    endWith,
    endWithFailure: () => endWith(1),
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

async function withApi<T>(
  env: NodeJS.ProcessEnv,
  options: RemoteOptions,
  work: (api: PanelApi, connection: PanelConnection) => Promise<T>,
): Promise<T> {
  const connection = await connectPanel(env, options);
  try {
    return await work(connection.api, connection);
  } finally {
    await connection.close();
  }
}

async function confirm({ stdin, stdout }: CommandIo, question: string): Promise<boolean | null> {
  if (!stdin.isTTY || !stdout.isTTY) return null;
  stdout.write(`${toTerminalText(question)} [y/N] `);
  const lines = createInterface({ input: stdin });
  const answered = Promise.withResolvers<string>();
  // The end of the input (Ctrl+D) and Ctrl+C mean no. The command then closes what it has opened.
  const decline = () => answered.resolve('');
  lines.once('line', answered.resolve).once('close', decline);
  process.once('SIGINT', decline);
  try {
    return /^y(es)?$/i.test((await answered.promise).trim());
  } finally {
    process.off('SIGINT', decline);
    lines.close();
  }
}
