import type { CAPABILITIES, RunKind } from '@steward/contract';
import type { RefusalCode } from '../outcome/task-outcome.ts';
import type { OpenTask } from './tasks.repository.ts';

type Requirement = [capability: (typeof CAPABILITIES)[number], refusal: RefusalCode];

/**
 * The capabilities that a call of each kind needs. An update and a plugin action need them only if the
 * call names items.
 */
const REQUIREMENTS: Partial<Record<RunKind, Requirement[]>> = {
  update: [['update.items', 'items_unsupported']],
  plugin_action: [['update.items', 'items_unsupported']],
  install: [
    ['install', 'site_plugin_outdated'],
    ['signed_calls', 'signed_calls_required'],
  ],
  restore: [['restore', 'site_plugin_outdated']],
  self_update: [['self_update', 'site_plugin_outdated']],
};

/** Returns why the site cannot do this task; null if it can. An older site would ignore fields that it does not know. */
export function findMissingCapability({
  kind,
  items,
  capabilities,
}: Pick<OpenTask, 'kind' | 'items' | 'capabilities'>): RefusalCode | null {
  if ((kind === 'update' || kind === 'plugin_action') && !items) return null;
  const missing = REQUIREMENTS[kind]?.find(([capability]) => !capabilities?.includes(capability));
  return missing?.[1] ?? null;
}
