/**
 * The tar format (POSIX ustar), as far as backups need it: regular files with short names. Operators can open a backup
 * with `tar`. npm libraries for tar read a file only from its start, but a restore first reads the manifest, at the end.
 */

export const BLOCK_BYTES = 512;
const NAME_MAX_BYTES = 100;
const SIZE_MAX_BYTES = 0o77777777777;

/** An archive ends with two empty blocks. */
export const END_OF_ARCHIVE = Buffer.alloc(2 * BLOCK_BYTES);

export function createTarHeader(name: string, bytes: number, modifiedAt: Date): Buffer {
  if (Buffer.byteLength(name) > NAME_MAX_BYTES || bytes > SIZE_MAX_BYTES) {
    throw new Error(`${name} does not fit into a tar file.`);
  }
  const header = Buffer.alloc(BLOCK_BYTES);
  const writeOctal = (value: number, start: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, start, 'latin1');
  header.write(name, 0, 'utf8');
  writeOctal(0o600, 100, 8);
  writeOctal(0, 108, 8);
  writeOctal(0, 116, 8);
  writeOctal(bytes, 124, 12);
  writeOctal(Math.floor(modifiedAt.getTime() / 1000), 136, 12);
  header.write('0', 156, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/** The zeros that fill the last block of a file. */
export const createTarPadding = (bytes: number) => Buffer.alloc(paddingOf(bytes));

export const paddingOf = (bytes: number) => (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;

/** Returns null for the end of the archive, and undefined for a block that is no valid header. */
export function parseTarHeader(block: Buffer): { name: string; bytes: number } | null | undefined {
  if (block.length !== BLOCK_BYTES) return undefined;
  if (block.every((byte) => byte === 0)) return null;
  const readText = (start: number, length: number) =>
    block.toString('utf8', start, start + length).replace(/\0.*$/s, '');
  const readOctal = (start: number, length: number) => {
    const text = readText(start, length).trim();
    return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
  };
  const bytes = readOctal(124, 12);
  const isFile = readText(156, 1) === '0' && readText(257, 5) === 'ustar';
  if (!isFile || Number.isNaN(bytes) || readOctal(148, 8) !== sumOf(block)) return undefined;
  return { name: readText(0, NAME_MAX_BYTES), bytes };
}

/** The checksum of a header: the sum of its bytes, with the checksum itself read as spaces. */
function sumOf(header: Buffer): number {
  const isChecksum = (index: number) => index >= 148 && index < 156;
  return header.reduce((sum, byte, index) => sum + (isChecksum(index) ? 0x20 : byte), 0);
}
