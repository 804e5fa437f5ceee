import { chownSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../command.ts';
import { findFreePort } from '../free-port.ts';
import { startProcessGroup } from '../process-group.ts';
import { findPostgresPrograms } from '../provide/parts.ts';
import { createScratchFolder } from '../scratch-folder.ts';
import { findAccount, runAs } from './server-account.ts';

/**
 * Starts a new PostgreSQL of Debian as PostgreSQL's container image does: with one superuser, and passwords for all
 * connections over TCP. The caller stops it.
 */
export async function launchPasswordPostgres(password: string) {
  const programs = findPostgresPrograms();
  const account = findAccount();
  const folder = await createScratchFolder('steward-password-pg-');
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password);
  await chmod(folder, 0o700);
  for (const path of [folder, passwordFile]) chownSync(path, account.uid, account.gid);
  const data = join(folder, 'data');
  const options = ['-U', 'postgres', `--pwfile=${passwordFile}`, '--auth-host=scram-sha-256'];
  const initdb = [join(programs, 'initdb'), '-D', data, ...options, '--auth-local=trust'];
  const [program = '', ...args] = runAs(account, [...initdb, '--no-sync', '-E', 'UTF8']);
  await run(program, args);
  const port = await findFreePort();
  const listen = ['-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
  const command = [join(programs, 'postgres'), '-D', data, ...listen, '-c', 'fsync=off'];
  const group = startProcessGroup(runAs(account, command), {
    logFile: join(folder, 'log'),
    env: process.env,
  });
  await group.waitUntilReady((log) => log.includes('ready to accept'));
  return {
    port,
    /** The folder of the socket, on which no connection needs a password. */
    socketFolder: folder,
    async stop() {
      await group.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
