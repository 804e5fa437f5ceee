import { type ChildProcess, spawn } from 'node:child_process';

const USER = '1000:1000';
/** Mounts the root read-only, as `read_only: true` in compose.yaml does, with /data and /tmp writable. */
const PREPARE_AND_RUN = `
set -e
root=$1
shift
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=0700,uid=1000,gid=1000 tmpfs "$root/data"
exec setpriv --no-new-privs --bounding-set=-all,+setuid,+setgid,+sys_chroot \\
  chroot --userspec=${USER} "$root" "$@"
`;

/**
 * Starts a program in the file system of the image: as the user of the image, with a read-only root, without
 * capabilities and in its own mount namespace. It shares the network of this machine.
 */
export function startInImage(
  root: string,
  command: string[],
  env: Record<string, string>,
): ChildProcess {
  const args = ['--mount', 'sh', '-c', PREPARE_AND_RUN, 'sh', root, ...command];
  return spawn('unshare', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs a program to its end. Returns its exit code and what it printed. */
export async function runInImage(root: string, command: string[], env: Record<string, string>) {
  const child = startInImage(root, command, env);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { code, output };
}
