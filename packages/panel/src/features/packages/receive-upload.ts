import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PACKAGE_MAX_BYTES } from '@steward/contract';
import { AppError } from '../../platform/app-error.ts';

/** An uploaded file in a temporary folder. */
export type Upload = { path: string; sha256: string; size: number };

/** Writes the upload to disk, because a zip file is read from its end. Deletes it afterwards. */
export async function withUpload<T>(
  body: Readable,
  use: (upload: Upload) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-upload-'));
  try {
    const path = join(folder, 'package.zip');
    const hash = createHash('sha256');
    let size = 0;
    await pipeline(
      body,
      async function* measure(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          size += chunk.length;
          if (size > PACKAGE_MAX_BYTES) throw tooLargeError();
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(path, { mode: 0o600 }),
    ).catch((error) => {
      throw explainUploadError(error);
    });
    return await use({ path, sha256: hash.digest('hex'), size });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const INTERRUPTED_CODES = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'];

function explainUploadError(cause: NodeJS.ErrnoException): unknown {
  if (cause instanceof AppError) return cause;
  const internal = cause.message;
  if (cause.code === 'ENOSPC') {
    const message =
      'The panel has no disk space left for this upload. Free disk space on its machine, then try again.';
    return new AppError('unavailable', { message, internal, cause });
  }
  if (!INTERRUPTED_CODES.includes(cause.code ?? '')) return cause;
  return new AppError('invalid_request', {
    message: 'The upload was interrupted. Try again.',
    internal,
  });
}

export function tooLargeError(): AppError {
  const megabytes = PACKAGE_MAX_BYTES / 1024 / 1024;
  return new AppError('request_too_large', {
    message: `This package is larger than ${megabytes} MB. Install it in WordPress on each site.`,
  });
}

/** Reads a file in parts of at most `bytes` bytes. */
export async function* readParts(path: string, bytes: number): AsyncGenerator<Buffer, void> {
  const file = await open(path);
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(bytes), length: bytes });
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
