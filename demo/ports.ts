import { createServer } from 'node:net';
/** Before anything is started: half a demo would have to be taken down again. */
export async function assertPortsFree(ports: number[], wayOut: string): Promise<void> {
  const taken: number[] = [];
  for (const port of ports) if (!(await isFree(port))) taken.push(port);
  if (taken.length === 0) return;
  const which = taken.length === 1 ? `Port ${taken[0]} is` : `The ports ${taken.join(', ')} are`;
  throw new Error(`${which} taken by another program. Stop it, or ${wayOut}`);
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
