import { open } from 'node:fs/promises';

const HEADER_BYTES = 8192;

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
  if (!name || !version) return null;
  const requires = field('Requires Plugins') ?? '';
  return { name, version, requires: requires.split(',').flatMap((part) => part.trim() || []) };
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
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return null;
    throw error;
  }
}
