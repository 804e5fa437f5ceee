import { CAPABILITIES } from '@steward/contract';

const KNOWN: ReadonlySet<string> = new Set(CAPABILITIES);

/**
 * Returns the stored capabilities and the reported ones. Drops names that this version of the panel does not know: stored
 * capabilities are only added to, so a client could store any number of made-up names.
 */
export const addCapabilities = (stored: readonly string[], reported: readonly string[] = []) =>
  [...new Set([...stored, ...reported])].filter((name) => KNOWN.has(name));
