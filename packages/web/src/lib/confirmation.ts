import { useSyncExternalStore } from 'react';

/**
 * The panel asks again who is at the browser before it gives lasting power. One question serves all
 * calls that wait for it; a dialog shows it while there is one.
 */

type Question = { answer: Promise<boolean>; settle: (isConfirmed: boolean) => void };

let question: Question | null = null;
const listeners = new Set<() => void>();

/** True once the user has confirmed; false when they changed their mind. */
export function askForConfirmation(): Promise<boolean> {
  if (!question) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    question = { answer: promise, settle: resolve };
    for (const listener of listeners) listener();
  }
  return question.answer;
}

export function settleConfirmation(isConfirmed: boolean): void {
  question?.settle(isConfirmed);
  question = null;
  for (const listener of listeners) listener();
}

/** For what lies below the dialog: the keyboard is not theirs meanwhile. */
export const useIsConfirming = () => useSyncExternalStore(subscribe, () => question !== null);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
