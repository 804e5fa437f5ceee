import { count } from '../lib/format.ts';
import { itemsOf, requestedItemsOf, versionsOf } from './audit-items.ts';
import { siteOf, sites, text } from './audit-sentence-parts.ts';
import type { DescribedRecord, Sentence } from './audit-sentence-types.ts';

/** Why Steward cancelled the queued tasks of a run. */
const CANCEL_REASONS: Record<string, string> = {
  schedule_stopped: ' because its schedule was disabled or deleted',
  rollout_halted: ' because its rollout was halted',
  user_disabled: ' because its user was disabled',
  panel_stopping: ' because the panel was stopping',
  not_begun_in_time: ' because the sites could not be called in time',
};

const scheduleOf = ({ entity_id, context }: DescribedRecord): string =>
  `the schedule ${text(context.name) ?? entity_id ?? ''}`.trim();

const rolloutOf = ({ entity_id, context }: DescribedRecord): string =>
  `rollout ${entity_id ?? ''}${text(context.name) ? ` (${text(context.name)})` : ''}`.trim();
const runOf = ({ entity_id }: DescribedRecord): string => `run ${entity_id ?? ''}`.trim();

/** "updated", or "tried to update" if nothing was updated or the result is not known. */
function verbFor(record: DescribedRecord, [present, past]: [string, string]): string {
  const { outcome } = record.context;
  const isDone = ['succeeded', 'partial', 'unverified'].includes(String(outcome));
  return isDone || outcome === undefined ? past : `tried to ${present}`;
}

const pluginSentence =
  (verb: [string, string]): Sentence =>
  (record, names) => {
    const { context } = record;
    const plugin = text(context.name) ?? text(context.plugin) ?? record.entity_id ?? 'a plugin';
    const isUpdated = verb[0] === 'update' && context.old_version !== context.new_version;
    const versions = isUpdated ? versionsOf(context) : '';
    return `${verbFor(record, verb)} ${plugin}${versions} on ${siteOf(record, names)}`;
  };

/** The sentences about runs, their results on sites, schedules and rollouts. */
export const auditRunSentences = {
  'remote_update.update': (record, names) =>
    `${verbFor(record, ['update', 'updated'])} ${siteOf(record, names)}${itemsOf(record.context)}`,
  'remote_update.install': (record, names) =>
    `${verbFor(record, ['install', 'installed'])} software on ${siteOf(record, names)}${itemsOf(record.context)}`,
  'remote_update.restore': (record, names) =>
    `${verbFor(record, ['restore', 'restored'])} previous versions on ${siteOf(record, names)}${itemsOf(record.context)}`,
  'remote_update.self_update': (record, names) =>
    `${verbFor(record, ['update', 'updated'])} the Steward plugin on ${siteOf(record, names)}${itemsOf(record.context)}`,

  'package.upload': ({ context }) =>
    `uploaded the package ${text(context.name) ?? text(context.slug) ?? ''} ${text(context.version) ?? ''}`.trim(),

  'remote_plugin.update': pluginSentence(['update', 'updated']),
  'remote_plugin.activate': pluginSentence(['activate', 'activated']),
  'remote_plugin.deactivate': pluginSentence(['deactivate', 'deactivated']),
  'remote_plugin.delete': pluginSentence(['delete', 'deleted']),

  'remote_site.sync': (record, names) =>
    `${verbFor(record, ['sync', 'synced'])} ${siteOf(record, names)}`,

  'run.create': (record) => `started ${runOf(record)}: ${workOf(record)}`,
  'run.cancel': (record) => {
    const unstarted = Number(record.context.cancelled ?? 0);
    if (record.context.reason === 'call_taken_back') {
      return `completed the cancellation of ${runOf(record)}: ${sites(unstarted)} had not been called yet`;
    }
    const cause = CANCEL_REASONS[String(record.context.reason)] ?? '';
    if (unstarted === 0) return `cancelled ${runOf(record)}${cause}`;
    return `cancelled ${runOf(record)}${cause}; ${sites(unstarted)} ${unstarted === 1 ? 'was' : 'were'} not called`;
  },

  'schedule.create': (record) => `created ${scheduleOf(record)}`,
  'schedule.update': (record) =>
    `changed ${scheduleOf(record)}${record.context.enabled === false ? ', which is disabled' : ''}`,
  'schedule.delete': (record) => `deleted ${scheduleOf(record)}`,

  'rollout.create': (record) => {
    const { sites: total, rings } = record.context;
    return `started ${rolloutOf(record)} to ${sites(total)} in ${count(Number(rings ?? 1), 'ring')}`;
  },
  'rollout.halt': (record) =>
    `halted ${rolloutOf(record)} in the ring “${text(record.context.ring) ?? ''}”: ${text(record.context.reason) ?? 'no reason given'}`,
  'rollout.split': (record) =>
    `stopped ${text(record.context.items) ?? 'items'} in ${rolloutOf(record)} for lack of proof: see rollout ${record.context.split_rollout_id}`,
  'rollout.choose_canaries': (record) =>
    `chose ${sites(record.context.sites)} as other canaries of ${rolloutOf(record)} in the ring “${text(record.context.ring) ?? ''}”`,
  'rollout.continue_without_proof': (record) =>
    `continued ${rolloutOf(record)} without proof of the ring “${text(record.context.ring) ?? ''}”: ${text(record.context.reason) ?? 'no reason given'}`,
  'rollout.resume': (record) => `resumed ${rolloutOf(record)}`,
  'rollout.end_soak': (record) => `ended the soak time of ${rolloutOf(record)}`,
  'rollout.cancel': (record) => `ended ${rolloutOf(record)} early`,
  'rollout.finish': (record) => `finished ${rolloutOf(record)}`,
} as const satisfies Record<string, Sentence>;

/** "updates on 3 sites", "deactivate shop/shop.php on 1 site". */
function workOf({ context }: DescribedRecord): string {
  const retry = context.retry_of ? `, retry of run ${context.retry_of}` : '';
  const on = `on ${sites(context.sites)}${retry}`;
  if (context.kind === 'plugin_action') {
    return `${context.action} ${context.plugin_name ?? context.plugin} ${on}`;
  }
  if (context.kind === 'sync') return `sync ${on}`;
  if (context.kind === 'self_update') return `update of the Steward plugin ${on}`;
  return `${requestedItemsOf(context)} ${on}`;
}
