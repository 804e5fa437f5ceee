import type { RequestKind, WatchState } from '@steward/contract';
import type { ItemReference } from './tables.ts';

/** The watch of an updated item, as far as it decides. */
export type JudgedWatch = ItemReference & { to_version: string; started_at: Date; until: Date };

/** A stored error, as far as it decides. */
export type JudgedError = ItemReference & {
  version: string;
  /** Equal for the same message in the same file of an item, in all its versions. */
  fingerprint: string;
  via: ItemReference[];
  request_kind: RequestKind;
  is_confirmed: boolean;
  first_at: Date;
  last_at: Date;
};

export type Evidence<Error extends JudgedError> = {
  /** All errors that the panel knows of the site. */
  errors: Error[];
  /** All watches of the site: an error in an item that was updated too is not the fault of core. */
  watches: JudgedWatch[];
  /** The last report of errors. Null: the site has never reported any. */
  report: { reported_at: Date; dropped_at: Date | null } | null;
  /** The item has another version now, so the end of the watch says nothing about the watched one. */
  isReplaced: boolean;
  now: Date;
};

/** Sites report whole seconds, and their clock is corrected by the time of a request. */
const CLOCK_TOLERANCE_MS = 2000;
/** Longer than the interval of check-ins: a site that is silent for longer at the end of a watch may be down. */
const SILENCE_MAX_MS = 16 * 60 * 60 * 1000;

/**
 * Judges a watch. Only a confirmed error is trouble: a stranger can cause errors, and must not halt or restore anything. An
 * unconfirmed error is part of the judgement while the watch runs, so that users see it at once.
 */
export function judgeWatch<Error extends JudgedError>(
  watch: JudgedWatch,
  { errors, watches, report, isReplaced, now }: Evidence<Error>,
): { state: WatchState; error: Error | null } {
  const found = errors
    .filter((error) => error.first_at <= watch.until)
    .filter((error) => isNewError(error, watch, { errors, watches }))
    .toSorted((a, b) => a.first_at.getTime() - b.first_at.getTime());
  const confirmed = found.find(({ is_confirmed }) => is_confirmed);
  if (confirmed) return { state: 'troubled', error: confirmed };
  const error = found[0] ?? null;
  if (now < watch.until) return { state: 'watching', error };
  if (error) return { state: 'reported', error };
  const canTell =
    report !== null &&
    report.reported_at > watch.started_at &&
    report.reported_at.getTime() > watch.until.getTime() - SILENCE_MAX_MS &&
    (report.dropped_at === null || report.dropped_at < watch.started_at);
  return { state: canTell && !isReplaced ? 'healthy' : 'unknown', error: null };
}

/** Whether the update may have caused the error: it is in the updated item or went through it, and did not exist before. */
export function isNewError(
  error: JudgedError,
  watch: JudgedWatch,
  { errors, watches }: { errors: JudgedError[]; watches: JudgedWatch[] },
): boolean {
  return isBlamed(error, watch, watches) && !existedBefore(error, watch, errors);
}

function isBlamed(error: JudgedError, watch: JudgedWatch, watches: JudgedWatch[]): boolean {
  if (isSameItem(error, watch)) return error.version === watch.to_version;
  if (!error.via.some((item) => isSameItem(item, watch))) return false;
  // Every trace goes through core. If another updated item fails, its own update is the reason.
  return (
    watch.type !== 'core' ||
    !watches.some((other) => isSameItem(error, other) && error.version === other.to_version)
  );
}

/**
 * Whether the site had the same error before. For the updated item, only another version counts: the same version may have
 * been installed and restored before, and fails again.
 */
function existedBefore(error: JudgedError, watch: JudgedWatch, errors: JudgedError[]): boolean {
  const earliest = watch.started_at.getTime() - CLOCK_TOLERANCE_MS;
  if (error.last_at.getTime() < earliest) return true;
  const isSameVersionRelevant = !isSameItem(error, watch);
  return errors.some(
    (other) =>
      other.fingerprint === error.fingerprint &&
      mayHide(other, error) &&
      (other.version === error.version
        ? isSameVersionRelevant && other.first_at.getTime() < earliest
        : other.first_at < error.first_at),
  );
}

/** A stranger can cause an error with the same message before an update. It must not hide a confirmed one elsewhere. */
const mayHide = (earlier: JudgedError, later: JudgedError) =>
  earlier.is_confirmed || !later.is_confirmed || earlier.request_kind === later.request_kind;

const isSameItem = (a: ItemReference, b: ItemReference) => a.type === b.type && a.slug === b.slug;
