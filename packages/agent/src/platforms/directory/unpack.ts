import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise } from 'yauzl';

/** `maxRatio` limits the unpacked size relative to the zip, for packages that unpack to more than 10 MB. */
export type UnpackLimits = { maxBytes: number; maxFiles: number; maxRatio?: number };

/** Below this unpacked size, any compression ratio is allowed. */
const MIN_BOMB_BYTES = 10 * 1024 * 1024;
const UNIX_TYPE_MASK = 0o170000;
const UNIX_REGULAR = 0o100000;
const UNIX_FOLDER = 0o040000;

/**
 * Unpacks a zip into a folder. Rejects path traversal, links and oversized packages before writing any file.
 * This check reads sizes from the zip's central directory. They may be wrong, so sizes are checked again while writing.
 */
export async function unpack(zipPath: string, target: string, limits: UnpackLimits): Promise<void> {
  const archive = await openPromise(zipPath, { autoClose: false, strictFileNames: true });
  try {
    // `eachEntry` rejects absolute names and names with `..` or backslashes.
    const entries: Entry[] = [];
    for await (const entry of archive.eachEntry()) {
      entries.push(entry);
      if (entries.length > limits.maxFiles) {
        throw new Error(`The package has more than ${limits.maxFiles} files.`);
      }
    }
    assertEntriesAllowed(entries, limits, archive.fileSize);
    for (const entry of entries) {
      const path = join(target, entry.fileName);
      if (entry.fileName.endsWith('/')) {
        await mkdir(path, { recursive: true });
        continue;
      }
      await mkdir(dirname(path), { recursive: true });
      // The stream fails if the file is larger than the size in the zip's central directory.
      const stream = await archive.openReadStreamPromise(entry);
      const file = createWriteStream(path, { flags: 'wx' });
      await pipeline(stream, withChecksum(entry), file).catch((error) => {
        throw isZlibError(error) ? createDamagedError(entry, error) : error;
      });
    }
  } finally {
    archive.close();
  }
}

/** The library does not verify checksums. Without this check a damaged file would be installed. */
function withChecksum(entry: Entry): Transform {
  let checksum = 0;
  return new Transform({
    transform(chunk, _encoding, done) {
      checksum = crc32(chunk, checksum);
      done(null, chunk);
    },
    flush(done) {
      done(checksum === entry.crc32 ? null : createDamagedError(entry));
    },
  });
}

function createDamagedError({ fileName }: Entry, cause?: unknown): Error {
  return new Error(
    `The package is damaged: its file ${fileName} cannot be unpacked. Retry. If it fails again, ask the vendor for a new package.`,
    { cause },
  );
}

/** zlib messages such as "invalid block type" do not help the user. */
function isZlibError(error: NodeJS.ErrnoException): boolean {
  return error.code?.startsWith('Z_') ?? false;
}

function assertEntriesAllowed(
  entries: Entry[],
  { maxBytes, maxRatio = Number.POSITIVE_INFINITY }: UnpackLimits,
  zipBytes: number,
): void {
  if (entries.length === 0) throw new Error('The package is empty.');
  const bytes = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  if (bytes > maxBytes) throw new Error(`The package unpacks to more than ${maxBytes} bytes.`);
  if (bytes > MIN_BOMB_BYTES && bytes > zipBytes * maxRatio) {
    throw new Error(`The package is a zip bomb: it unpacks to ${bytes} bytes.`);
  }
  for (const entry of entries) {
    const type = (entry.externalFileAttributes >>> 16) & UNIX_TYPE_MASK;
    if (type !== 0 && type !== UNIX_REGULAR && type !== UNIX_FOLDER) {
      throw new Error(`The package contains a link or a special file: ${entry.fileName}.`);
    }
  }
}
