import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { phpFileHeader, type ZipEntry } from './zip.ts';

/** Creates a zip in memory. */
export async function createZip(entries: ZipEntry[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { name, content, ...options } of entries) {
    if (name.endsWith('/')) zip.addEmptyDirectory(name);
    else zip.addBuffer(Buffer.from(content), name, options);
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** Creates the package of a plugin `slug/slug.php`. */
export const createPluginPackage = (slug: string, version: string, more: ZipEntry[] = []) =>
  createZip([
    { name: `${slug}/${slug}.php`, content: phpFileHeader('Plugin', `The ${slug}`, version) },
    { name: `${slug}/inc/code.php`, content: '<?php // Code.' },
    ...more,
  ]);

/** Replaces a text in a zip with another of the same length, for zips that a zip library refuses to write. */
export function replaceInZip(zip: Buffer, from: string, to: string): Buffer {
  if (from.length !== to.length) throw new Error('The texts must have the same length.');
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}
