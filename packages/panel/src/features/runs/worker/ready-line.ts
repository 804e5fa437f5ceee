import type { Job } from '../../../lib/queue.ts';
import type { TaskToDo } from '../tasks.repository.ts';
import type { CallNotes } from './call-notes.ts';
import type { Caller, CallSlots } from './call-slots.ts';
import { askAhead, type PermitAhead } from './permit-ahead.ts';

/** A job of this process, and whom it means to call. */
export type Held = Job & Caller & { notBefore: number };

/** A task that is ours and only waits for its slot. */
export type Ready = {
  task: TaskToDo;
  job: Held;
  /** For its first call. */
  permit?: PermitAhead;
};

export type ReadyLine = {
  add(ready: Ready[]): void;
  /** How many begin as soon as there are slots: who waits only for its address keeps none busy. */
  startable(isUrgent?: boolean): number;
  /** Begins as many as there are slots for. */
  fillSlots(begin: (next: Ready) => void): void;
  /** Gives whoever is left; they will not be called. */
  leave(): Ready[];
};

type Dependencies = {
  slots: CallSlots;
  notes: Pick<CallNotes, 'begin' | 'undo'>;
  /** Of how many, at most, the calls are noted before they have slots. */
  permitsAhead: number;
  /** The job as it was taken last. */
  latest(job: Held): Job;
};

export const byPriority = (one: Job, other: Job) => other.priority - one.priority;

/** Those who are claimed in advance, so that a slot that becomes free is filled at once. */
export function createReadyLine({ slots, notes, permitsAhead, latest }: Dependencies): ReadyLine {
  let line: Ready[] = [];

  /** For what somebody waits for there is a slot at once. Nobody is asked for twice. */
  const canBeAskedFor = ({ task, job, permit }: Ready) =>
    !job.isUrgent && task.called_at === null && !permit?.hasLapsed();

  function askForNext(): void {
    for (const next of line.filter(canBeAskedFor).slice(0, permitsAhead)) {
      const { task, job } = next;
      next.permit ??= askAhead({ task, job: latest(job) }, notes);
    }
  }

  return {
    add(ready) {
      line = [...line, ...ready].sort((one, other) => byPriority(one.job, other.job));
    },
    startable: (isUrgent) =>
      line.filter(
        ({ job }) =>
          slots.hasRoomAt(job.address) && (isUrgent === undefined || job.isUrgent === isUrgent),
      ).length,
    fillSlots(begin) {
      line = line.filter((next) => {
        const isNext = slots.tryTake(next.job);
        if (isNext) begin(next);
        return !isNext;
      });
      if (slots.isBrisk()) askForNext();
    },
    leave() {
      const left = line;
      line = [];
      return left;
    },
  };
}
