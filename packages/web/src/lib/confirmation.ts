import { useSyncExternalStore } from 'react';

/**
 * The panel requires a confirmation of identity before sensitive actions. All requests that wait for the confirmation
 * share one dialog.
 */

type PendingConfirmation = { result: Promise<boolean>; resolve: (isConfirmed: boolean) => void };

let pending: PendingConfirmation | null = null;
const listeners = new Set<() => void>();

/** Resolves to true when the user confirms, to false when the user cancels. */
export function askForConfirmation(): Promise<boolean> {
  if (!pending) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    pending = { result: promise, resolve };
    for (const listener of listeners) listener();
  }
  return pending.result;
}

/** Closes the dialog. The waiting requests continue, or fail if the user did not confirm. */
export function endConfirmation(isConfirmed: boolean): void {
  pending?.resolve(isConfirmed);
  pending = null;
  for (const listener of listeners) listener();
}

/** True while the dialog is open. Dialogs below it then release the keyboard. */
export const useIsConfirming = () => useSyncExternalStore(subscribe, () => pending !== null);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
