import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

export type ZipEntry = { path: string; content: Buffer | string };

/** A zip states local time without its zone, so local time it has to be for the same bytes everywhere. */
const SAME_TIME_FOR_ALL = new Date(2000, 0, 1);

/** The same files give the same bytes, sorted by their paths, whenever and wherever it is made. */
export async function zipOf(entries: ZipEntry[]): Promise<Buffer> {
  const zip = new ZipFile();
  const sorted = entries.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  for (const { path, content } of sorted) {
    zip.addBuffer(Buffer.from(content), path, {
      mtime: SAME_TIME_FOR_ALL,
      forceDosTimestamp: true,
      mode: 0o100644,
    });
  }
  zip.end();
  return buffer(zip.outputStream);
}
