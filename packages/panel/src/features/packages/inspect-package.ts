import { crc32 } from 'node:zlib';
import { isManagementPlugin, PLUGIN_FILE_PATTERN } from '@steward/contract';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { AppError } from '../../platform/app-error.ts';
import { HEADER_BYTES, type Headers, readHeaders } from './read-headers.ts';

export type PackageFacts = Headers & { type: 'plugin' | 'theme'; slug: string };

/** Sites have the same limits and refuse a larger package. */
const MAX_FILES = 20_000;
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
/** Code compresses to a tenth. A file of zeros compresses to a thousandth. */
const MAX_RATIO = 100;
const RATIO_APPLIES_ABOVE_BYTES = 1024 * 1024;
const MAX_MAIN_FILE_CANDIDATES = 50;

const UNIX_TYPE_MASK = 0o170000;
const UNIX_REGULAR = 0o100000;
const UNIX_FOLDER = 0o040000;
const FOLDER_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const VERSION_PATTERN = /^[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}$/;

/** Checks a zip file and reads the plugin or theme in it. Throws `invalid_package` with the reason. */
export async function inspectPackage(path: string, size: number): Promise<PackageFacts> {
  const zip = await openPromise(path, { autoClose: false, strictFileNames: true }).catch(
    throwNotAZip,
  );
  try {
    const entries = await listEntries(zip, size);
    const folder = findTopFolder(entries);
    const facts = await findPlugin(zip, entries, folder).then(
      async (plugin) => plugin ?? (await findTheme(zip, entries, folder)),
    );
    if (!facts) {
      throw invalidPackageError(
        'It contains no plugin and no theme: no PHP file in its folder has a "Plugin Name", and there is no style.css with a "Theme Name".',
      );
    }
    if (!VERSION_PATTERN.test(facts.version)) {
      throw invalidPackageError('Its header has no valid version. Add a version such as 1.0.');
    }
    await verifyContents(zip, entries);
    return facts;
  } finally {
    zip.close();
  }
}

async function listEntries(zip: ZipFile, size: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  const names = new Set<string>();
  try {
    // Rejects absolute names and names with `..` or backslashes.
    for await (const entry of zip.eachEntry()) {
      entries.push(entry);
      // Two names that differ only in case are one file on many servers.
      names.add(entry.fileName.toLowerCase());
      if (entries.length > MAX_FILES)
        throw invalidPackageError(`It has more than ${MAX_FILES} files.`);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw invalidPackageError('It is damaged, or a path in it points outside its folder.', error);
  }
  if (names.size < entries.length) {
    throw invalidPackageError(
      'It contains the same file twice, or two files whose names differ only in case.',
    );
  }
  for (const entry of entries) assertPlainFile(entry);
  const sum = (field: 'uncompressedSize' | 'compressedSize') =>
    entries.reduce((total, entry) => total + entry[field], 0);
  const [unpacked, packed] = [sum('uncompressedSize'), sum('compressedSize')];
  if (unpacked > MAX_UNPACKED_BYTES) throw invalidPackageError('It unpacks to more than 256 MB.');
  // Overlapping entries let a small file unpack to any size.
  if (packed > size) throw invalidPackageError('It is damaged: its files overlap.');
  if (unpacked > RATIO_APPLIES_ABOVE_BYTES && unpacked > packed * MAX_RATIO) {
    throw invalidPackageError('It unpacks to more than a hundred times its size.');
  }
  return entries;
}

function assertPlainFile(entry: Entry): void {
  const type = (entry.externalFileAttributes >>> 16) & UNIX_TYPE_MASK;
  if (type !== 0 && type !== UNIX_REGULAR && type !== UNIX_FOLDER) {
    throw invalidPackageError('It contains a link or a special file.');
  }
  if (entry.isEncrypted()) throw invalidPackageError('It is encrypted.');
}

function findTopFolder(entries: Entry[]): string {
  const folders = new Set(entries.map(({ fileName }) => fileName.split('/')[0] ?? ''));
  const [folder = ''] = folders;
  const hasTopFile = entries.some(({ fileName }) => !fileName.includes('/'));
  if (folders.size !== 1 || hasTopFile) {
    throw invalidPackageError(
      folders.has('__MACOSX')
        ? 'It contains extra files of macOS (__MACOSX). Upload the original zip, or compress the folder without them.'
        : 'It must contain exactly one folder, with the plugin or theme in it.',
    );
  }
  if (!FOLDER_PATTERN.test(folder)) {
    throw invalidPackageError(
      'The name of its folder must start with a letter or digit, and may contain only letters, digits, dots, underscores and hyphens (at most 100).',
    );
  }
  if (isManagementPlugin(folder)) throw new AppError('management_plugin');
  return folder;
}

/** The main file is `folder/folder.php`, or else the first PHP file with a header. */
async function findPlugin(
  zip: ZipFile,
  entries: Entry[],
  folder: string,
): Promise<PackageFacts | null> {
  const depth = (name: string) => name.split('/').length;
  const files = entries
    .filter(({ fileName }) => depth(fileName) === 2 && fileName.endsWith('.php'))
    .filter(({ fileName }) => new RegExp(PLUGIN_FILE_PATTERN).test(fileName))
    .toSorted(
      (a, b) => rankOf(a, folder) - rankOf(b, folder) || (a.fileName < b.fileName ? -1 : 1),
    );
  for (const entry of files.slice(0, MAX_MAIN_FILE_CANDIDATES)) {
    const headers = readHeaders(await readStart(zip, entry), 'Plugin Name');
    if (headers) return { ...headers, type: 'plugin', slug: entry.fileName };
  }
  return null;
}

const rankOf = ({ fileName }: Entry, folder: string) =>
  fileName === `${folder}/${folder}.php` ? 0 : 1;

async function findTheme(
  zip: ZipFile,
  entries: Entry[],
  folder: string,
): Promise<PackageFacts | null> {
  const entry = entries.find(({ fileName }) => fileName === `${folder}/style.css`);
  const headers = entry && readHeaders(await readStart(zip, entry), 'Theme Name');
  return headers ? { ...headers, type: 'theme', slug: folder } : null;
}

async function readStart(zip: ZipFile, entry: Entry): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of readContent(zip, entry)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= HEADER_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, HEADER_BYTES).toString('utf8');
}

/** Reads every file once: a damaged package must not reach a site, and the sizes in the zip must be true. */
async function verifyContents(zip: ZipFile, entries: Entry[]): Promise<void> {
  for (const entry of entries) {
    if (entry.fileName.endsWith('/')) continue;
    let checksum = 0;
    for await (const chunk of readContent(zip, entry)) checksum = crc32(chunk, checksum);
    if (checksum !== entry.crc32) throw invalidPackageError(DAMAGED);
  }
}

async function* readContent(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer, void> {
  try {
    // The stream fails if the file has another size than the zip states.
    yield* await zip.openReadStreamPromise(entry);
  } catch (error) {
    throw invalidPackageError(DAMAGED, error);
  }
}

const DAMAGED = 'It is damaged. Download it again.';

function throwNotAZip(cause: unknown): never {
  throw invalidPackageError('It is not a zip file.', cause);
}

function invalidPackageError(reason: string, cause?: unknown): AppError {
  const message = `This file cannot be installed. ${reason}`;
  const internal = cause instanceof Error ? cause.message : undefined;
  return new AppError('invalid_package', { message, ...(internal && { internal }) });
}
