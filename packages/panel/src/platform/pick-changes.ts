/**
 * Returns the fields that are reported and differ from the stored ones. Most reports repeat the last one, and an UPDATE
 * with the same values would write the row again.
 */
export function pickChanges<Stored extends object>(
  reported: { [Name in keyof Stored]?: Stored[Name] | undefined },
  stored: Stored,
): Partial<Stored> {
  const names = Object.keys(reported) as (keyof Stored)[];
  const changed = names.filter(
    (name) => reported[name] !== undefined && reported[name] !== stored[name],
  );
  return Object.fromEntries(changed.map((name) => [name, reported[name]])) as Partial<Stored>;
}
