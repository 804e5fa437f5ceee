import { join } from 'node:path';
import { run } from '@steward/testkit/command.ts';

/** Runs a command of Buildah and returns its output, trimmed. */
export type Buildah = (args: string[]) => Promise<string>;

/** Keeps all images in `folder`, apart from those of the machine. */
export function createBuildah(folder: string): Buildah {
  // vfs copies each layer and needs no support by the kernel.
  const storage = ['--root', join(folder, 'images'), '--runroot', join(folder, 'run')];
  return async (args) => {
    const [command = '', ...rest] = args;
    const output = await run('buildah', [...storage, '--storage-driver', 'vfs', command, ...rest]);
    return output.trim();
  };
}
