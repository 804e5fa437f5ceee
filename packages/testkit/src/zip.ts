import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

export type ZipEntry = { name: string; content: string; mode?: number; compress?: boolean };

export async function writeZip(path: string, entries: ZipEntry[]): Promise<void> {
  const zip = new ZipFile();
  for (const { name, content, ...options } of entries) {
    zip.addBuffer(Buffer.from(content), name, options);
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

export const phpFileHeader = (
  kind: 'Plugin' | 'Theme' | 'Core',
  name: string,
  version: string,
  requires = '',
) =>
  `<?php\n/**\n * ${kind} Name: ${name}\n * Version: ${version}\n${requires ? ` * Requires Plugins: ${requires}\n` : ''} */\n`;
