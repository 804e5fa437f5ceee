import { open } from 'node:fs/promises';

const HEADER_BYTES = 8192;
/** What a report to the panel may hold. */
const LONGEST_NAME = 500;
const LONGEST_VERSION = 64;
const NOT_THERE = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'];

/** What the comment at the top of a plugin's or theme's main file says, as WordPress reads it. */
export type Headers = { name: string; version: string; requires: string[] };

/** Null when there is no such file, or it has no name or version. */
export async function readHeaders(path: string): Promise<Headers | null> {
  const text = await readStart(path);
  if (text === null) return null;
  const field = (label: string) =>
    new RegExp(`^[ \\t/*#@]*${label}:(.*)$`, 'mi')
      .exec(text)?.[1]
      ?.replace(/\*\/.*$/, '')
      .trim();
  const name = field('(?:Plugin|Theme|Core) Name');
  const version = field('Version');
  if (!name || !version || version.length > LONGEST_VERSION) return null;
  const requires = field('Requires Plugins') ?? '';
  return {
    name: name.slice(0, LONGEST_NAME),
    version,
    requires: requires.split(',').flatMap((part) => part.trim() || []),
  };
}

async function readStart(path: string): Promise<string | null> {
  try {
    const file = await open(path, 'r');
    try {
      const buffer = Buffer.alloc(HEADER_BYTES);
      const { bytesRead } = await file.read(buffer, 0, HEADER_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (NOT_THERE.includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
