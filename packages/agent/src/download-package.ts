import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Package } from '@steward/contract';
import { describeTransferError, isDiskFull } from './describe-transfer-error.ts';
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
  if (panelUrl === null) {
    throw new PackageRejected('This site is not connected to a panel. Connect it, then try again.');
  }
  const source = new URL(url);
  const isPanelUrl = source.origin === new URL(panelUrl).origin;
  if (!isPanelUrl || source.username !== '' || source.password !== '') {
    throw new PackageRejected(
      `The link to the package leads to ${source.origin}, but this site is connected to ${panelUrl}. Start the panel with BASE_URL set to ${panelUrl}, or connect this site again to ${source.origin}.`,
    );
  }
  const response = await fetch(source, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause) => {
    throw createTransferError(cause);
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
  const body = Readable.fromWeb(response.body as never);
  await pipeline(body, check, createWriteStream(target)).catch((error) => {
    throw error instanceof PackageRejected ? error : createTransferError(error);
  });
  if (bytes !== size) throw createSizeError(size);
  if (hash.digest('hex') !== sha256) {
    throw new PackageRejected('The package is not the one that the panel sent: its hash differs.');
  }
}

function createTransferError(cause: unknown): PackageRejected {
  return new PackageRejected(
    `The package could not be downloaded: ${describeTransferError(cause)}.`,
    { cause, code: isDiskFull(cause) ? 'disk_full' : 'package_rejected' },
  );
}

function createSizeError(size: number): PackageRejected {
  return new PackageRejected(
    `The package is not the one that the panel sent: it does not have ${size} bytes.`,
  );
}
