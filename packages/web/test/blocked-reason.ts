import { expect } from 'vitest';

/** Why a button is disabled, as a screen reader says it. Null: it is not disabled. */
export function blockedReason(button: HTMLElement): string | null {
  if (button.getAttribute('aria-disabled') !== 'true') return null;
  const reason = document.getElementById(button.getAttribute('aria-describedby') ?? '');
  expect(reason?.textContent, 'reason of a disabled button').toBeTruthy();
  return reason?.textContent ?? null;
}
