import { createServer } from 'node:net';

/** Call this before starting anything: after a later failure, started processes would have to be stopped. */
export async function assertPortsFree(ports: number[], advice: string): Promise<void> {
  const used: number[] = [];
  for (const port of ports) {
    // The name localhost may lead to both addresses.
    if (!(await canListen(port, '127.0.0.1')) || (await isTaken(port, '::1'))) used.push(port);
  }
  if (used.length === 0) return;
  const problem =
    used.length === 1
      ? `Port ${used[0]} is in use by another program. Stop that program`
      : `The ports ${used.join(', ')} are in use by other programs. Stop these programs`;
  throw new Error(`${problem}, or ${advice}`);
}

const canListen = async (port: number, host: string) => (await tryListening(port, host)) === null;

/** False also if the machine has no such address. */
const isTaken = async (port: number, host: string) =>
  (await tryListening(port, host)) === 'EADDRINUSE';

/** Returns the code of the error. */
async function tryListening(port: number, host: string): Promise<string | null> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, resolve);
    });
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
