import type { Readable } from 'node:stream';
import Type from 'typebox';

/** The response schema of a route that sends a file or a stream instead of JSON. */
export const fileResponse = (description: string, ...contentTypes: string[]) => ({
  description,
  content: Object.fromEntries(
    contentTypes.map((type) => [
      type,
      { schema: Type.Unsafe<Buffer | Readable>({ type: 'string', ...formatOf(type) }) },
    ]),
  ),
});

const formatOf = (type: string) => (type === ZIP ? { format: 'binary' } : {});

const ZIP = 'application/zip';
export const zipResponse = (description: string) => fileResponse(description, ZIP);
