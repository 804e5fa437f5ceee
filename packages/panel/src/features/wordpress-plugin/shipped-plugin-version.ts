import { readPluginVersion } from './plugin-zip.ts';

/** The version of the Steward plugin that this panel ships; null if it cannot be read. */
export function findShippedPluginVersion(): string | null {
  try {
    const version = readPluginVersion();
    return version === 'unknown' ? null : version;
  } catch {
    return null;
  }
}
