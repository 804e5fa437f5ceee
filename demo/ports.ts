import { createServer } from 'node:net';

/** Call this before starting anything: after a later failure, started processes would have to be stopped. */
export async function assertPortsFree(ports: number[], advice: string): Promise<void> {
  const used: number[] = [];
  for (const port of ports) if (!(await isFree(port))) used.push(port);
  if (used.length === 0) return;
  const problem =
    used.length === 1
      ? `Port ${used[0]} is in use by another program. Stop that program`
      : `The ports ${used.join(', ')} are in use by other programs. Stop these programs`;
  throw new Error(`${problem}, or ${advice}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    return true;
  } catch {
    return false;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
