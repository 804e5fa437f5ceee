import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../free-port.ts';
import { type ProcessGroup, startProcessGroup } from '../process-group.ts';
import { findPrograms, PHP_FPM, SEARCH_PATH } from '../provide/parts.ts';
import { fpmConfig, nginxConfig, type WebServerOptions } from './web-server-config.ts';

const ATTEMPTS = 5;

/** Starts nginx with PHP-FPM and PHP's default opcache settings. */
export async function startWebServer(options: WebServerOptions) {
  const { folder } = options;
  await mkdir(folder, { recursive: true });
  const fpm = await startFpm(options);
  let nginx = await startNginx(options).catch(async (error) => {
    await fpm.stop();
    throw error;
  });
  return {
    get port() {
      return nginx.port;
    },
    /** Restarts nginx with these lines in its server block. */
    async configure(lines: string) {
      await nginx.server.stop();
      nginx = await startNginx({ ...options, nginx: lines, port: nginx.port });
    },
    /** Whether PHP runs no request. False if nginx does not let this question through. */
    async isIdle() {
      const response = await fetch(`http://127.0.0.1:${nginx.port}/-/status?json`).catch(
        () => null,
      );
      if (!response?.ok) return false;
      const status = (await response.json()) as { 'active processes': number };
      // The request for the status is active too.
      return status['active processes'] === 1;
    },
    /** Stops nginx. PHP keeps its compiled files. */
    pause: () => nginx.server.stop(),
    /** Starts nginx again, on another port. */
    async resume() {
      nginx = await startNginx(options);
    },
    async stop() {
      await nginx.server.stop();
      await fpm.stop();
    },
  };
}

export type WebServer = Awaited<ReturnType<typeof startWebServer>>;

async function startFpm(options: WebServerOptions): Promise<ProcessGroup> {
  const { folder } = options;
  const config = join(folder, 'fpm.conf');
  const socket = join(folder, 'fpm.sock');
  await writeFile(config, fpmConfig({ ...options, socket }));
  const [phpFpm = 'php-fpm'] = findPrograms(PHP_FPM);
  const server = startProcessGroup(
    [phpFpm, '--nodaemonize', '--allow-to-run-as-root', '--fpm-config', config],
    { logFile: join(folder, 'fpm.log'), env: { ...process.env, PATH: SEARCH_PATH } },
  );
  await server.waitUntilReady((log) => log.includes('ready to handle connections'));
  await chmod(socket, 0o666);
  return server;
}

async function startNginx(
  options: WebServerOptions,
  attempt = 1,
): Promise<{ port: number; server: ProcessGroup }> {
  const { folder } = options;
  const port = options.port ?? (await findFreePort());
  const config = join(folder, 'nginx.conf');
  await writeFile(config, nginxConfig({ ...options, port, socket: join(folder, 'fpm.sock') }));
  const server = startProcessGroup(['nginx', '-p', folder, '-c', config, '-e', 'stderr'], {
    logFile: join(folder, 'nginx.log'),
    env: { ...process.env, PATH: SEARCH_PATH },
  });
  try {
    await server.waitUntilReady(() => isListening(port));
    return { port, server };
  } catch (error) {
    await server.stop();
    // Another process may have taken the port since it was found free.
    if (attempt < ATTEMPTS && String(error).includes('Address already in use')) {
      return startNginx(options, attempt + 1);
    }
    throw error;
  }
}

async function isListening(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/-/ready`);
    return true;
  } catch {
    return false;
  }
}
