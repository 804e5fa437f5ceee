import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

export type ZipEntry = { path: string; content: Buffer | string };

/** Use local time: zip files store it without a zone, so the bytes are the same in every time zone. */
const FIXED_MTIME = new Date(2000, 0, 1);

/**
 * The zip is reproducible: the same files give the same bytes in every time zone, with the same version of Node.js on
 * the same CPU architecture.
 */
export async function createZip(entries: ZipEntry[]): Promise<Buffer> {
  const zip = new ZipFile();
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, content } of sorted) {
    zip.addBuffer(Buffer.from(content), path, {
      mtime: FIXED_MTIME,
      forceDosTimestamp: true,
      mode: 0o100644,
    });
  }
  zip.end();
  return buffer(zip.outputStream);
}
