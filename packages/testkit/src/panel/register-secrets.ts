import { registerSecret } from '../logs.ts';

/** Registers the license keys, passwords and link tokens in the output of a command or a panel. */
export function registerSecretsIn(stdout: string): void {
  const printed = [
    ...stdout.matchAll(/(STWD(?:-[0-9A-Z]{7}){4})/g),
    ...stdout.matchAll(/"password": "([^"]+)"/g),
    ...stdout.matchAll(/#token=(\S+)/g),
  ];
  for (const [, secret = ''] of printed) registerSecret(secret);
}
