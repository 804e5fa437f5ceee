import { crc32, deflateRawSync } from 'node:zlib';

export type ZipEntry = { name: string; content: string | Buffer; unixMode?: number };

const UNIX = 3;
const DEFLATED = 8;
const REGULAR_FILE = 0o100644;

/** Builds a zip without any checks: the suite also needs packages that zip libraries refuse to write. */
export function buildZip(entries: ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, unixMode = REGULAR_FILE } of entries) {
    const bytes = Buffer.from(content);
    const compressed = deflateRawSync(bytes);
    const nameBytes = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(DEFLATED, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(compressed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), common, nameBytes, compressed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((unixMode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([20, UNIX]);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), madeBy, common, rest, nameBytes]));
    files.push(file);
    offset += file.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, ...directory, end]);
}
