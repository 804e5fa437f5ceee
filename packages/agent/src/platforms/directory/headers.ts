import { open } from 'node:fs/promises';
import { VERSION_MAX_LENGTH } from '@steward/contract';

const HEADER_BYTES = 8192;
const NAME_MAX_LENGTH = 500;
const UNREADABLE_FILE_CODES = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'];

/** The header comment of a plugin's or theme's main file, parsed as WordPress does. */
export type Headers = { name: string; version: string; requiredPlugins: string[] };

/** Returns null if the file is missing or unreadable, or has no valid name or version. */
export async function readHeaders(path: string): Promise<Headers | null> {
  const text = await readFirstBytes(path);
  if (text === null) return null;
  const readField = (label: string) =>
    new RegExp(`^[ \\t/*#@]*${label}:(.*)$`, 'mi')
      .exec(text)?.[1]
      ?.replace(/\*\/.*$/, '')
      .trim();
  const name = readField('(?:Plugin|Theme|Core) Name');
  const version = readField('Version');
  if (!name || !version || version.length > VERSION_MAX_LENGTH) return null;
  const requiredPlugins = readField('Requires Plugins') ?? '';
  return {
    name: name.slice(0, NAME_MAX_LENGTH),
    version,
    requiredPlugins: requiredPlugins.split(',').flatMap((slug) => slug.trim() || []),
  };
}

async function readFirstBytes(path: string): Promise<string | null> {
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
    if (UNREADABLE_FILE_CODES.includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
