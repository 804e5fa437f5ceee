import { spawn } from 'node:child_process';

type CommandOptions = { input?: string | Buffer; env?: Record<string, string> };

/** Runs a program and returns its output. The error of a failed program contains stdout and stderr. */
export async function run(
  program: string,
  args: string[],
  { input = '', env = {} }: CommandOptions = {},
): Promise<string> {
  const child = spawn(program, args, { env: { ...process.env, ...env } });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A program that exits early closes its input. Its exit code reports the reason.
  child.stdin.on('error', () => {});
  child.stdin.end(input);

  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const output = Buffer.concat(stdout).toString();
  if (code === 0) return output;
  throw new Error(
    `${program} exited with code ${code}.\n${Buffer.concat(stderr)}\n${output.slice(-2000)}`.trim(),
  );
}
