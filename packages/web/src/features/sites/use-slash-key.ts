import { useEffect, useEffectEvent } from 'react';
import { takesShortcuts } from '../../lib/takes-shortcuts.ts';

/** Calls `onSlash` when the user types `/`, on any keyboard layout. On a German layout that is Shift+7. */
export function useSlashKey(onSlash: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const isBrowserShortcut = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key !== '/' || isBrowserShortcut || !takesShortcuts(event.target)) return;
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
