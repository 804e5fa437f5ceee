import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { takesShortcuts } from '../lib/takes-shortcuts.ts';
import { usePages } from './pages.ts';

const HELP_KEY = '?';
const GO_KEY = 'g';
/** The longest time between `g` and the key of a page. */
const SEQUENCE_MS = 1500;

/** `?` shows the shortcuts. `g` and the key of a page open the page. */
export function useShortcuts(onShowHelp: () => void): void {
  const navigate = useNavigate();
  const pages = usePages();
  const sequenceEndsAt = useRef(0);

  const press = useEffectEvent((event: KeyboardEvent) => {
    // Shift alone must not end a sequence.
    if (event.key === 'Shift') return;
    const isInSequence = Date.now() < sequenceEndsAt.current;
    sequenceEndsAt.current = 0;
    const isBrowserShortcut = event.ctrlKey || event.metaKey || event.altKey;
    if (isBrowserShortcut || event.defaultPrevented || !takesShortcuts(event.target)) return;
    const page = pages.find(({ key }) => key === event.key);
    if (event.key === HELP_KEY) {
      event.preventDefault();
      onShowHelp();
    } else if (isInSequence && page) {
      event.preventDefault();
      void navigate({ to: page.to });
    } else if (event.key === GO_KEY) {
      sequenceEndsAt.current = Date.now() + SEQUENCE_MS;
    }
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
}
