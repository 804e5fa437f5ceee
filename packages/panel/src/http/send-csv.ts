import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** Responds with a CSV file. The list is sent while it is read. */
export function sendCsv(reply: FastifyReply, name: string, lines: AsyncIterable<string>): Readable {
  reply.type(CSV_TYPE).header('content-disposition', `attachment; filename="${name}"`);
  return Readable.from(lines);
}
