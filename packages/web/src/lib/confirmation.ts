import { useSyncExternalStore } from 'react';

/**
 * The panel requires a confirmation of identity before actions with lasting effects. All calls that wait for it share
 * one dialog.
 */

type PendingConfirmation = { result: Promise<boolean>; settle: (isConfirmed: boolean) => void };

let pending: PendingConfirmation | null = null;
const listeners = new Set<() => void>();

/** Resolves to true when the user confirms, to false when the user cancels. */
export function askForConfirmation(): Promise<boolean> {
  if (!pending) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    pending = { result: promise, settle: resolve };
    for (const listener of listeners) listener();
  }
  return pending.result;
}

export function settleConfirmation(isConfirmed: boolean): void {
  pending?.settle(isConfirmed);
  pending = null;
  for (const listener of listeners) listener();
}

/** True while the confirmation is open. Dialogs below it then do not trap the focus and ignore Escape. */
export const useIsConfirming = () => useSyncExternalStore(subscribe, () => pending !== null);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
