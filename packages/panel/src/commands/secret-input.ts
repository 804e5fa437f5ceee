import { text } from 'node:stream/consumers';

/**
 * Scripts pass a password or a key on standard input: every user of the machine could read an argument
 * in the list of processes. The line break that `echo` adds is no part of it.
 */
export async function readSecret(input: NodeJS.ReadableStream): Promise<string> {
  return (await text(input)).replace(/\r?\n$/, '');
}
