export type CountdownParts = { days: number; hours: number; minutes: number; seconds: number };

/** The time until a moment, or null from this moment on. */
export function countdownParts(until: number, now: number): CountdownParts | null {
  const seconds = Math.ceil((until - now) / 1000);
  if (seconds <= 0) return null;
  return {
    days: Math.floor(seconds / 86_400),
    hours: Math.floor(seconds / 3600) % 24,
    minutes: Math.floor(seconds / 60) % 60,
    seconds: seconds % 60,
  };
}
