import { Readable } from 'node:stream';
import { runCommand } from '@steward/panel/command';
import { registerSecretsIn } from './register-secrets.ts';

export type CommandResult = { code: number | null; stdout: string; stderr: string };

/**
 * Runs one `steward` command in this process as `main.ts` does. `input` is its standard input. `isTTY`: as if a user
 * started it at a terminal.
 */
export async function steward(
  args: string[],
  env: NodeJS.ProcessEnv,
  input = '',
  { isTTY = false } = {},
): Promise<CommandResult> {
  const printed = { stdout: '', stderr: '' };
  const writer = (stream: keyof typeof printed) => ({
    isTTY,
    write(text: string) {
      printed[stream] += text;
    },
  });
  const stdin = Object.assign(Readable.from([Buffer.from(input)]), { isTTY });
  const io = { env, stdin, stdout: writer('stdout'), stderr: writer('stderr') };
  const code = await runCommand(args, io);
  registerSecretsIn(printed.stdout);
  return { code, ...printed };
}
