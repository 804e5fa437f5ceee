const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** "512 bytes", "1.2 MB". */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const value = Math.round((bytes / 1000 ** power) * 10) / 10;
  return `${value.toLocaleString('en-US')} ${UNITS[power]}`;
}
