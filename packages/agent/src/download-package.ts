import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Package } from '@steward/contract';
import { PackageRejected } from './platform.ts';

const TIMEOUT_MS = 120_000;

/**
 * Downloads a package to a file, only from the panel of the site and without redirects: a call must not make the site
 * request other addresses. Throws if the size or the hash differs.
 */
export async function downloadPackage(
  { url, sha256, size }: Package,
  panelUrl: string | null,
  target: string,
): Promise<void> {
  const source = new URL(url);
  const isPanelUrl = panelUrl !== null && source.origin === new URL(panelUrl).origin;
  if (!isPanelUrl || source.username !== '' || source.password !== '') {
    throw new PackageRejected(
      `The link to the package leads to ${source.host}, but this site is connected to ${panelUrl}. Start the panel with BASE_URL set to ${panelUrl}, or connect this site again.`,
    );
  }
  const response = await fetch(source, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause) => {
    throw new PackageRejected('The package could not be downloaded.', { cause });
  });
  if (response.status !== 200 || !response.body) {
    await response.body?.cancel();
    throw new PackageRejected(
      `The package could not be downloaded: the panel responded with status ${response.status}.`,
    );
  }
  const hash = createHash('sha256');
  let bytes = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(bytes > size ? createSizeError(size) : null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(response.body as never), check, createWriteStream(target));
  if (bytes !== size) throw createSizeError(size);
  if (hash.digest('hex') !== sha256) {
    throw new PackageRejected('The package is not the one that the panel sent: its hash differs.');
  }
}

function createSizeError(size: number): PackageRejected {
  return new PackageRejected(
    `The package is not the one that the panel sent: it does not have ${size} bytes.`,
  );
}
