import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, glob, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const FINGERPRINT_FILE = 'built-from';

export type BuildFolder = {
  /** The folder that the build replaces. */
  target: string;
  /** Patterns of all files that change the result, relative to the project. */
  sources: string[];
  build(folder: string): Promise<void>;
};

/** The build is outdated if the content of a source file has changed: file times also change without an edit. */
export async function isBuilt({ target, sources }: BuildFolder): Promise<boolean> {
  const file = join(target, FINGERPRINT_FILE);
  return existsSync(file) && readFileSync(file, 'utf8') === (await readFingerprint(sources));
}

/** Builds into a new folder first, so that a panel that starts meanwhile finds a complete build. */
export async function buildFolder({ target, sources, build }: BuildFolder): Promise<void> {
  // Read before the build: after an edit during the build, the result counts as outdated.
  const fingerprint = await readFingerprint(sources);
  const newBuild = await mkdtemp(`${target}-`);
  try {
    await build(newBuild);
    await writeFile(join(newBuild, FINGERPRINT_FILE), fingerprint);
    await chmod(newBuild, 0o755);
    await rm(target, { recursive: true, force: true });
    // A concurrent build from the same files may finish first; its result is equivalent.
    await rename(newBuild, target).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(newBuild, { recursive: true, force: true });
  }
}

async function readFingerprint(sources: string[]): Promise<string> {
  const paths: string[] = [];
  for await (const entry of glob(sources, { cwd: ROOT, withFileTypes: true })) {
    const isTest = /\.test\.tsx?$/.test(entry.name);
    if (entry.isFile() && !isTest) paths.push(join(entry.parentPath, entry.name));
  }
  const hash = createHash('sha256');
  for (const path of paths.sort()) {
    hash.update(`${path.slice(ROOT.length)}\0`).update(await readFile(path));
  }
  return hash.digest('hex');
}
