/** True on macOS and iOS, where shortcuts use the command key. */
export const isMac = () => navigator.userAgent.includes('Mac');
