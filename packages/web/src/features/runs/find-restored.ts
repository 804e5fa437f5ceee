import type { SoftwareType } from '@steward/contract';
import type { Run, Task } from '../../lib/runs-api.ts';
import { listItems } from './list-items.ts';

export type Restored = {
  item: { type: SoftwareType; slug: string; name: string };
  version: string;
  /** The only site of the run. */
  site?: { id: number; name: string };
};

/** Lists the items that a run restored, each with the version that most of its sites have now. */
export function findRestored(run: Run, tasks: Task[]): Restored[] {
  if (run.kind !== 'restore') return [];
  const [only, ...others] = tasks;
  const site =
    only?.site_url && others.length === 0
      ? { id: only.site_id, name: only.site_name ?? only.site_url }
      : null;
  const restored = tasks.flatMap((task) =>
    listItems(run, task).filter(({ isSuccess }) => isSuccess),
  );
  return [...Map.groupBy(restored, ({ type, slug }) => `${type} ${slug}`).values()].flatMap(
    (items) => {
      const [first] = items;
      if (!first?.type) return [];
      const { type, slug, name } = first;
      const byVersion = [...Map.groupBy(items, ({ version }) => version)];
      const [version = ''] = byVersion.sort(([, a], [, b]) => b.length - a.length)[0] ?? [];
      return [{ item: { type, slug, name }, version, ...(site && { site }) }];
    },
  );
}
