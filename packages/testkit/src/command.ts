import { spawn } from 'node:child_process';

type CommandOptions = { input?: string | Buffer; env?: Record<string, string> };

/** Runs a program to its end and gives what it printed; a failure carries all it said. */
export async function run(
  program: string,
  args: string[],
  { input = '', env = {} }: CommandOptions = {},
): Promise<string> {
  const child = spawn(program, args, { env: { ...process.env, ...env } });
  const printed: Buffer[] = [];
  const complained: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => complained.push(chunk));
  // A program that ends early closes its input; its exit code says why.
  child.stdin.on('error', () => {});
  child.stdin.end(input);

  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const output = Buffer.concat(printed).toString();
  if (code === 0) return output;
  throw new Error(
    `${program} ended with ${code}.\n${Buffer.concat(complained)}\n${output.slice(-2000)}`.trim(),
  );
}
