import { CORE_SLUG, type SoftwareType } from '@steward/contract';
import { itemName } from '../../lib/run-items.ts';
import type { Run, Task } from '../../lib/runs-api.ts';
import { runsMessages } from '../../messages/runs.ts';

const messages = runsMessages.task;

/** An item of a task and its outcome. */
export type TaskItem = {
  /** The type as a word for users. Empty for core. */
  kind: string;
  /** Identifies the item among those of its kind. */
  slug: string;
  /** Null for translations, which have no page. */
  type: SoftwareType | null;
  name: string;
  oldVersion: string | undefined;
  version: string;
  isRolledBack: boolean;
  isSuccess: boolean;
  isVerified: boolean;
  error: string | null;
};

/** Lists the items in the response of the site, the failed ones first. */
export function listItems(run: Run, { details }: Task): TaskItem[] {
  if (!details) return [];
  const { plugins, themes, core, translations = [] } = details.results;
  const toItem = (kind: string, type: TaskItem['type']) => (result: (typeof plugins)[number]) => ({
    kind,
    type,
    slug: result.slug,
    name: result.name ?? (type ? itemName(run, { type, slug: result.slug }) : result.slug),
    oldVersion: result.old_version,
    version: result.new_version,
    isRolledBack: result.rolled_back === true,
    isSuccess: result.success,
    isVerified: result.verified !== false,
    error: result.error ?? null,
  });
  const coreError = details.errors.find(({ type }) => type === 'core')?.error ?? null;
  const items = [
    ...plugins.map(toItem(messages.plugin, 'plugin')),
    ...themes.map(toItem(messages.theme, 'theme')),
    ...(core
      ? [
          {
            kind: '',
            slug: CORE_SLUG,
            type: 'core' as const,
            name: messages.coreItem,
            oldVersion: core.old_version,
            version: core.new_version,
            isRolledBack: false,
            isSuccess: core.success,
            isVerified: core.verified !== false,
            error: coreError,
          },
        ]
      : []),
    ...translations.map((result) => ({ ...toItem(messages.translations, null)(result), name: '' })),
  ];
  return items.sort((a, b) => Number(a.isSuccess) - Number(b.isSuccess));
}

/** The failed item, if exactly one item failed: its error is the reason of the task. */
export function findOnlyFailure(run: Run, task: Task): TaskItem | null {
  const failed = listItems(run, task).filter(({ isSuccess }) => !isSuccess);
  return (failed.length === 1 && failed[0]) || null;
}
