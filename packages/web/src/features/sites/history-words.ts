import type { HistoryRecord } from '@steward/contract';
import type { Look } from '../../components/light.tsx';
import { count } from '../../lib/format.ts';

type Context = HistoryRecord['context'];
type Told = { what: string; why: string | null; look: Look };

/** A record of the audit log as somebody would tell it. */
export function tell({ action, entity_type, context }: HistoryRecord): Told {
  const outcome = typeof context.outcome === 'string' ? context.outcome : null;
  const why = outcome === 'succeeded' ? null : text(context.error);
  return { what: whatHappened(action, entity_type, context, outcome), why, look: lookOf(outcome) };
}

const LOOKS: Record<string, Look> = {
  succeeded: 'good',
  partial: 'warn',
  failed: 'bad',
  unknown: 'badHollow',
  refused: 'locked',
  cancelled: 'off',
};
const lookOf = (outcome: string | null): Look => LOOKS[outcome ?? 'succeeded'] ?? 'off';

function whatHappened(
  action: string,
  entityType: string,
  context: Context,
  outcome: string | null,
): string {
  switch (entityType) {
    case 'remote_update':
      return updated(context, outcome);
    case 'remote_plugin':
      return pluginAction(action, text(context.plugin) ?? 'a plugin', outcome);
    case 'remote_site':
      return outcome === 'succeeded' ? 'Synced' : 'Sync failed';
    case 'activation':
      return ACTIVATION[action] ?? `License: ${action}`;
    case 'site':
      return action === 'tag' ? tagged(context) : `Site: ${action}`;
    case 'access':
      return action === 'grant'
        ? 'Somebody was given this site'
        : 'This site was taken from somebody';
    default:
      return `${entityType.replaceAll('_', ' ')}: ${action.replaceAll('_', ' ')}`;
  }
}

const ACTIVATION: Record<string, string> = {
  activate: 'Connected with its license',
  deactivate: 'Disconnected from its license',
  release: 'Disconnected from its license',
};

function updated(context: Context, outcome: string | null): string {
  const kinds = [
    ['plugin', context.plugins],
    ['theme', context.themes],
    ['core', context.core],
  ] as const;
  const list = (which: 'updated' | 'failed') =>
    kinds.flatMap(([name, counts]) => {
      const amount = (counts as Record<string, number> | undefined)?.[which] ?? 0;
      if (amount === 0) return [];
      return name === 'core' ? ['core'] : [count(amount, name)];
    });
  const good = list('updated');
  const bad = list('failed');
  const failed = bad.length > 0 ? `${bad.join(', ')} failed` : '';
  if (good.length > 0) return [`Updated ${good.join(', ')}`, failed].filter(Boolean).join('; ');
  if (failed !== '') return `Update: ${failed}`;
  if (outcome === 'succeeded') return 'Update: nothing was pending';
  return outcome === 'unknown' ? 'Update: it is not known what became of it' : 'Update failed';
}

const VERBS: Record<string, [done: string, tried: string]> = {
  update: ['Updated', 'update'],
  activate: ['Activated', 'activate'],
  deactivate: ['Deactivated', 'deactivate'],
  delete: ['Deleted', 'delete'],
};

function pluginAction(action: string, plugin: string, outcome: string | null): string {
  const [done, tried] = VERBS[action] ?? [action, action];
  if (outcome === 'succeeded') return `${done} ${plugin}`;
  return outcome === 'unknown'
    ? `Tried to ${tried} ${plugin}; it is not known whether it happened`
    : `Could not ${tried} ${plugin}`;
}

function tagged({ added, removed }: Context): string {
  const names = (list: unknown) => (Array.isArray(list) ? list.map(String) : []);
  const parts = [
    ...(names(added).length > 0 ? [`added ${names(added).join(', ')}`] : []),
    ...(names(removed).length > 0 ? [`removed ${names(removed).join(', ')}`] : []),
  ];
  return `Tags: ${parts.join('; ')}`;
}

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;
