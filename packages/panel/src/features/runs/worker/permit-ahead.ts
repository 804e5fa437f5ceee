import type { CallNotes, CallPermit, CallToBegin } from './call-notes.ts';

/**
 * A permit asked for while its task is next in line for a slot, so that a slot which becomes free does
 * not stand empty while the call is noted. If the slot is long in coming the note is taken back: until
 * its site is called, a task can still be cancelled.
 */
export type PermitAhead = {
  /** Null where it has lapsed: the call is to be noted anew. */
  take(): Promise<CallPermit | null>;
  /** No call will come of it. */
  giveBack(): Promise<void>;
  hasLapsed(): boolean;
};

const LASTS_MS = 1000;

/** Only for a task whose site has never been called: to take the note back is to say so. */
export function askAhead(call: CallToBegin, notes: Pick<CallNotes, 'begin' | 'undo'>): PermitAhead {
  const askedAt = performance.now();
  const permit = notes.begin(call);
  // Whoever takes it is told; until then nobody listens, and that must not end the process.
  permit.catch(() => {});
  let isTaken = false;
  let givenBack: Promise<void> | undefined;

  function giveBack(): Promise<void> {
    clearTimeout(lapse);
    if (isTaken) return Promise.resolve();
    // Also a permit that could not be had may have been noted.
    const undo = () => notes.undo(call.task);
    givenBack ??= permit.then(undo, undo);
    return givenBack;
  }
  const lapse = setTimeout(giveBack, LASTS_MS);

  return {
    async take() {
      // A process that stood still may come here before the timer does.
      if (givenBack || performance.now() - askedAt >= LASTS_MS) {
        // Waited for: a new note that was written before this is undone would be lost with it.
        await giveBack();
        return null;
      }
      clearTimeout(lapse);
      isTaken = true;
      return permit;
    },
    giveBack,
    hasLapsed: () => givenBack !== undefined,
  };
}
