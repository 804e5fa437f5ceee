import { text } from 'node:stream/consumers';

/**
 * A password or a key from standard input, for scripts: as an argument everybody on the machine could
 * read it in the list of processes. The line break that `echo` adds is no part of it.
 */
export async function readSecret(): Promise<string> {
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}
