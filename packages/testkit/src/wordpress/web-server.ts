import { createServer } from 'node:net';
import { join } from 'node:path';
import { type LeashedProcess, startLeashed } from '../leashed-process.ts';

const ATTEMPTS = 5;

export type WebServerOptions = {
  documentRoot: string;
  logFile: string;
  /** Where WordPress is below the document root: '' or such as '/shop'. */
  path: string;
  isNetwork: boolean;
  workers: number;
  /** Left out: any that is free. */
  port?: number | undefined;
};

/** PHP's own web server, with opcache as PHP has it by default. */
export async function startWebServer(options: WebServerOptions, attempt = 1) {
  const port = options.port ?? (await freePort());
  const server = launch(options, port);
  try {
    await server.ready((log) => log.includes(`127.0.0.1:${port}) started`));
  } catch (error) {
    await server.stop();
    // Somebody else may have taken the port since it was found free.
    if (attempt < ATTEMPTS && String(error).includes('Address already in use')) {
      return startWebServer(options, attempt + 1);
    }
    throw error;
  }
  return { port, stop: server.stop };
}

function launch(options: WebServerOptions, port: number): LeashedProcess {
  const router = join(import.meta.dirname, 'router.php');
  const { documentRoot, logFile, path, isNetwork, workers } = options;
  return startLeashed(['php', '-S', `127.0.0.1:${port}`, '-t', documentRoot, router], {
    logFile,
    env: {
      ...process.env,
      PHP_CLI_SERVER_WORKERS: String(workers),
      TEST_BED_PATH: path,
      TEST_BED_NETWORK: isNetwork ? '1' : '',
    },
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}
