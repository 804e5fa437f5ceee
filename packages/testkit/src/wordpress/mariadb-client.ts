import { spawn } from 'node:child_process';

export type MariadbClient = {
  /** Runs statements and returns the printed rows. Wait for it before the next call. */
  run(sql: string): Promise<string>;
  close(): Promise<void>;
};

/** Printed after the rows of each call. */
const END = 'end-of-rows-6d0f93\n';

/**
 * Starts the `mariadb` program once for many calls: starting it costs more than most statements. The program exits at
 * the first error, so discard the client after a failed call.
 */
export function startMariadbClient(args: string[]): MariadbClient {
  const child = spawn('mariadb', [...args, '--batch', '--skip-column-names', '--unbuffered']);
  let stdout = '';
  let stderr = '';
  let onOutput = () => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    onOutput();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A program that exits early closes its input. Its error output gives the reason.
  child.stdin.on('error', () => {});
  const ended = new Promise<Error>((resolve) => {
    child.on('error', resolve);
    child.on('close', (code) => resolve(new Error(`mariadb exited with code ${code}.\n${stderr}`)));
  });

  return {
    async run(sql) {
      stdout = '';
      const printed = new Promise<string>((resolve) => {
        onOutput = () => stdout.endsWith(END) && resolve(stdout.slice(0, -END.length));
      });
      child.stdin.write(`${sql}\n;SELECT '${END.trim()}';\n`);
      const result = await Promise.race([printed, ended]);
      if (typeof result !== 'string') throw result;
      return result;
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
