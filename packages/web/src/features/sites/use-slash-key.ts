import { useEffect, useEffectEvent } from 'react';

/** Calls `onSlash` when the user types `/`, on any keyboard layout. On a German layout that is Shift+7. */
export function useSlashKey(onSlash: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const isShortcut = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key !== '/' || isShortcut || isIgnored(event.target)) return;
    // Without this, the focused search field would receive the slash.
    event.preventDefault();
    onSlash();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
}

/** True in a field, where a slash is text, and while a dialog is open, which keeps the focus. */
function isIgnored(target: EventTarget | null): boolean {
  const isField =
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input,textarea,select'));
  return isField || document.querySelector('[role="dialog"]') !== null;
}
