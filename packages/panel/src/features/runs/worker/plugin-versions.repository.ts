import { sql } from 'kysely';
import type { Trx } from '../../../platform/database/handles.ts';
import type { PluginVersions } from '../outcome/task-outcome.ts';
import type { OpenTask } from './tasks.repository.ts';

/**
 * Reads the name and the versions of the plugin of each task, before and after the action. The new version is known
 * only if the site has reported since the call.
 */
export async function readPluginVersions(
  trx: Trx,
  tasks: Pick<OpenTask, 'id' | 'request' | 'inventory_at'>[],
): Promise<Map<number, PluginVersions>> {
  if (tasks.length === 0) return new Map();
  const wanted = tasks.map(({ id, request, inventory_at }) => ({
    id,
    plugin: request.plugin ?? '',
    reported_before: inventory_at,
  }));
  const { rows } = await sql<{ id: number } & PluginVersions>`
    SELECT t.id, coalesce(before ->> 'name', after ->> 'name') AS name,
      before ->> 'version' AS old_version,
      CASE WHEN s.inventory_at IS DISTINCT FROM w.reported_before THEN after ->> 'version' END AS new_version
    FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
      AS w (id bigint, plugin text, reported_before timestamptz)
    JOIN run_tasks t ON t.id = w.id
    JOIN sites s ON s.id = t.site_id
    CROSS JOIN LATERAL jsonb_build_object('plugin', w.plugin) AS vars
    LEFT JOIN LATERAL jsonb_path_query_first(
      t.pending_before, '$.plugins[*] ? (@.plugin == $plugin)', vars) AS before ON true
    LEFT JOIN LATERAL jsonb_path_query_first(
      s.inventory, '$.plugins[*] ? (@.plugin == $plugin)', vars) AS after ON true`.execute(trx);
  return new Map(rows.map(({ id, ...versions }) => [id, versions]));
}
