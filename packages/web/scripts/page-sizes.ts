import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

const DIST = join(import.meta.dirname, '../dist');
const ENTRY = 'index.html';

/** What a user loads first: the sign-in page, then the overview. */
const FIRST_PAGES = ['/sign-in-page.tsx', '/overview-page.tsx'];

/** The largest size of a page, in bytes. Later pages share most files with the first one, which the browser keeps. */
export function budgetOf(page: string): number {
  return FIRST_PAGES.some((name) => page.endsWith(name)) ? 200_000 : 255_000;
}

type Chunk = { file: string; imports?: string[]; css?: string[] };
type Manifest = Record<string, Chunk>;

/**
 * Returns the bytes that a browser with an empty cache downloads for each page, by source file, without the data of the
 * API. The files are compressed with Brotli, which all current browsers accept from a panel with TLS.
 */
export async function readPageSizes(): Promise<Map<string, number>> {
  const manifest = JSON.parse(await readFile(join(DIST, 'manifest.json'), 'utf8')) as Manifest;
  const html = await readFile(join(DIST, 'index.html'));
  const linked = [...html.toString().matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)];
  const sizes = new Map<string, number>();
  for (const page of Object.keys(manifest).filter((source) => source.endsWith('-page.tsx'))) {
    const files = new Set(linked.map(([, file]) => file ?? ''));
    for (const chunk of findChunks(manifest, [ENTRY, page])) {
      for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    }
    let bytes = brotliCompressSync(html).length;
    for (const file of files) bytes += (await stat(join(DIST, `${file}.br`))).size;
    sizes.set(page, bytes);
  }
  return sizes;
}

/** Returns the chunks and all chunks that they import. */
function findChunks(manifest: Manifest, sources: string[]): Chunk[] {
  const found = new Map<string, Chunk>();
  const add = (source: string) => {
    const chunk = manifest[source];
    if (!chunk || found.has(source)) return;
    found.set(source, chunk);
    chunk.imports?.forEach(add);
  };
  sources.forEach(add);
  return [...found.values()];
}
