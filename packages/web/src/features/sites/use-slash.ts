import { useEffect, useEffectEvent } from 'react';

/** Calls when somebody presses `/`, wherever that is on their keyboard: on a German one it is Shift+7. */
export function useSlash(onSlash: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const isShortcut = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key !== '/' || isShortcut || isTaken(event.target)) return;
    // Otherwise the field it leads to would get the sign too.
    event.preventDefault();
    onSlash();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
}

/** Who types means the sign itself; behind an open dialog nothing moves. */
function isTaken(target: EventTarget | null): boolean {
  const isField =
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select'));
  return isField || document.querySelector('[role="dialog"]') !== null;
}
