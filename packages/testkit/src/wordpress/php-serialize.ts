/** A PHP object. A plain JavaScript object represents a PHP array with keys. */
export class PhpObject {
  readonly properties: Record<string, PhpValue>;
  readonly className: string;

  constructor(properties: Record<string, PhpValue>, className = 'stdClass') {
    this.properties = properties;
    this.className = className;
  }
}

export type PhpValue =
  | string
  | number
  | boolean
  | null
  | PhpObject
  | PhpValue[]
  | { [key: string]: PhpValue };

export function phpSerialize(value: PhpValue): string {
  if (value === null) return 'N;';
  if (typeof value === 'boolean') return `b:${value ? 1 : 0};`;
  if (typeof value === 'number') return `${Number.isInteger(value) ? 'i' : 'd'}:${value};`;
  if (typeof value === 'string') return `s:${Buffer.byteLength(value)}:"${value}";`;
  if (value instanceof PhpObject) {
    const name = `O:${Buffer.byteLength(value.className)}:"${value.className}"`;
    const entries = Object.entries(value.properties);
    return `${name}:${entries.length}:{${entries.map(serializeProperty).join('')}}`;
  }
  const entries = Object.entries(value);
  return `a:${entries.length}:{${entries.map(serializeElement).join('')}}`;
}

function serializeProperty([name, value]: [string, PhpValue]): string {
  return phpSerialize(name) + phpSerialize(value);
}

/** PHP stores a key that looks like an integer as an integer. */
function serializeElement([key, value]: [string, PhpValue]): string {
  const isInteger = /^(0|-?[1-9]\d{0,17})$/.test(key);
  return phpSerialize(isInteger ? Number(key) : key) + phpSerialize(value);
}

export function phpUnserialize(text: string): PhpValue {
  const reader = createReader(Buffer.from(text));
  const value = readValue(reader);
  if (!reader.isAtEnd()) throw new Error(`Found more than one value in ${text}`);
  return value;
}

type Reader = ReturnType<typeof createReader>;

/** Reads bytes because PHP's lengths count bytes. */
function createReader(bytes: Buffer) {
  let at = 0;
  return {
    isAtEnd: () => at === bytes.length,
    take(length: number): string {
      if (at + length > bytes.length) throw new Error(`Unexpected end of ${bytes}`);
      at += length;
      return bytes.toString('utf8', at - length, at);
    },
    takeUntil(mark: string): string {
      const end = bytes.indexOf(mark, at);
      if (end < 0) throw new Error(`No ${mark} after byte ${at} of ${bytes}`);
      const taken = bytes.toString('utf8', at, end);
      at = end + mark.length;
      return taken;
    },
  };
}

function readValue(reader: Reader): PhpValue {
  const type = reader.take(2);
  if (type === 'N;') return null;
  if (type === 'b:') return reader.takeUntil(';') === '1';
  if (type === 'i:' || type === 'd:') return Number(reader.takeUntil(';'));
  if (type === 's:') {
    const text = readQuoted(reader);
    reader.takeUntil(';');
    return text;
  }
  if (type === 'a:') return toListOrObject(readEntries(reader));
  if (type === 'O:') {
    const className = readQuoted(reader);
    reader.takeUntil(':');
    return new PhpObject(Object.fromEntries(readEntries(reader)), className);
  }
  throw new Error(`Unsupported type ${type}.`);
}

function readQuoted(reader: Reader): string {
  const length = Number(reader.takeUntil(':"'));
  const text = reader.take(length);
  reader.takeUntil('"');
  return text;
}

function readEntries(reader: Reader): [string, PhpValue][] {
  const count = Number(reader.takeUntil(':{'));
  const entries = Array.from({ length: count }, (): [string, PhpValue] => [
    String(readValue(reader)),
    readValue(reader),
  ]);
  reader.takeUntil('}');
  return entries;
}

function toListOrObject(entries: [string, PhpValue][]): PhpValue {
  const isList = entries.every(([key], index) => key === String(index));
  return isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}
