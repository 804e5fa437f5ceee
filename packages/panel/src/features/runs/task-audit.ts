import type { RunKind } from '../../database/tables.ts';
import type { AuditEntry } from '../audit/audit.service.ts';
import { countsOf, type TaskResult } from './task-result.ts';

type AskedOfSite = {
  run_id: number;
  site_id: number;
  kind: RunKind;
  request: Record<string, string>;
};

/** What was asked of a site and how that ended, tried or done. */
export function taskAudit(task: AskedOfSite, result: TaskResult): AuditEntry {
  const { status: outcome, code, error, http_status } = result;
  const about = {
    siteId: task.site_id,
    context: {
      run_id: task.run_id,
      outcome,
      ...(code && { code, error, http_status }),
    },
  };
  switch (task.kind) {
    case 'plugin_action': {
      const { action = '', plugin = '' } = task.request;
      const context = { ...about.context, plugin };
      return { ...about, action, entityType: 'remote_plugin', entityId: plugin, context };
    }
    case 'sync':
      return { ...about, action: 'sync', entityType: 'remote_site', entityId: task.site_id };
    default: {
      const context = { ...about.context, ...countsOf(result.details) };
      const entity = { entityType: 'remote_update', entityId: task.site_id };
      return { ...about, action: 'update', ...entity, context };
    }
  }
}
