import { PLUGIN_ACTIONS, PLUGIN_FILE_PATTERN, type PluginActionRequest } from '@steward/contract';
import type { InstalledItem, Platform } from './platform.ts';
import { SiteError } from './site-error.ts';
import { getErrorMessage, updateItem } from './update-item.ts';

const PLUGIN_FILE = new RegExp(PLUGIN_FILE_PATTERN, 'u');

/** Validates in the order that the protocol defines: missing parameters, then the action, then the plugin. */
export function readPluginAction(body: unknown): PluginActionRequest {
  const { action, plugin } = (typeof body === 'object' && body !== null ? body : {}) as Record<
    string,
    unknown
  >;
  for (const [name, value] of Object.entries({ action, plugin })) {
    if (value === undefined || value === null || value === '') {
      throw new SiteError('missing_parameter', `The parameter ${name} is missing.`);
    }
  }
  const knownAction = PLUGIN_ACTIONS.find((name) => name === action);
  if (!knownAction) throw new SiteError('invalid_action');
  if (typeof plugin !== 'string' || plugin.length > 500 || !PLUGIN_FILE.test(plugin)) {
    throw new SiteError('invalid_plugin');
  }
  return { action: knownAction, plugin };
}

/** Runs the action. Throws `action_failed` if it fails or the plugin is not in the requested state afterwards. */
export async function runPluginAction(
  platform: Platform,
  request: PluginActionRequest,
): Promise<void> {
  const { action, plugin } = request;
  const itemBefore = await platform.find('plugin', plugin);
  if (!itemBefore) throw new SiteError('plugin_not_found');
  const changesFiles = action === 'update' || action === 'delete';
  if (changesFiles && !(await platform.allowsFileChanges())) {
    throw new SiteError('file_changes_disabled');
  }
  try {
    await ACTIONS[action](platform, plugin, itemBefore);
  } catch (error) {
    throw new SiteError('action_failed', getErrorMessage(error), { action, plugin });
  }
}

type Action = (platform: Platform, plugin: string, itemBefore: InstalledItem) => Promise<void>;

const ACTIONS: Record<PluginActionRequest['action'], Action> = {
  async update(platform, plugin) {
    await platform.refreshUpdateChecks();
    if ((await platform.find('plugin', plugin))?.newVersion === undefined) return;
    const result = await updateItem(platform, 'plugin', plugin);
    if (!result.success) throw new Error(result.error);
  },

  async activate(platform, plugin, { active }) {
    if (active) return;
    await platform.activatePlugin(plugin);
    await assertState(platform, plugin, (item) => item?.active === true, 'is still inactive');
  },

  async deactivate(platform, plugin, { active }) {
    if (!active) return;
    await assertNotRequired(platform, plugin);
    await platform.deactivatePlugin(plugin);
    await assertState(platform, plugin, (item) => item?.active === false, 'is still active');
  },

  async delete(platform, plugin, { active }) {
    await assertNotRequired(platform, plugin);
    if (active) await platform.deactivatePlugin(plugin);
    await platform.deletePlugin(plugin);
    await assertState(platform, plugin, (item) => item === null, 'is still installed');
  },
};

async function assertNotRequired(platform: Platform, plugin: string): Promise<void> {
  const dependents = await platform.findDependents(plugin);
  if (dependents.length > 0) {
    throw new Error(
      `Other active plugins require this plugin: ${dependents.join(', ')}. Deactivate them first.`,
    );
  }
}

async function assertState(
  platform: Platform,
  plugin: string,
  isExpected: (item: InstalledItem | null) => boolean,
  problem: string,
): Promise<void> {
  const item = await platform.find('plugin', plugin);
  if (!isExpected(item)) throw new Error(`The plugin ${problem}.`);
}
