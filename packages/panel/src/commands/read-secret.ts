import { text } from 'node:stream/consumers';

/**
 * Reads a password or a key from standard input, not from an argument: every user of the machine can read arguments in
 * the process list. Removes the line break that `echo` adds.
 */
export async function readSecret(input: NodeJS.ReadableStream): Promise<string> {
  return (await text(input)).replace(/\r?\n$/, '');
}
