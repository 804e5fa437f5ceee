import type { AuditRecord } from '@steward/contract';
import { SoftwareLink } from '../../../components/software-link.tsx';
import { SOFTWARE_TYPES } from '../../../lib/software-types.ts';
import { describeAuditedItem } from '../../../messages/audit-items.ts';
import styles from './audit-list.module.css';

/** The plugins, themes and core that a record names, with links to their pages. Null if it names none. */
export function AuditedItems({ context }: Pick<AuditRecord, 'context'>) {
  const items = listItems(context);
  if (items.length === 0) return null;
  return (
    <ul className={styles.items}>
      {items.map(({ type, slug, version, text }) => (
        <li key={`${type} ${slug} ${version}`}>
          {type ? (
            <SoftwareLink type={type} slug={slug}>
              {text}
            </SoftwareLink>
          ) : (
            text
          )}
        </li>
      ))}
    </ul>
  );
}

export const hasAuditedItems = (context: AuditRecord['context']) => listItems(context).length > 0;

function listItems({ items, plugin, ...context }: AuditRecord['context']) {
  if (typeof plugin === 'string') {
    const text = describeAuditedItem({ ...context, slug: plugin });
    return [{ type: 'plugin' as const, slug: plugin, version: '', text }];
  }
  if (!Array.isArray(items)) return [];
  return items.map((item: Record<string, unknown>) => ({
    type: SOFTWARE_TYPES.find((type) => type === item.type),
    slug: String(item.slug),
    // A run can request several versions of one item, for different sites.
    version: String(item.version ?? ''),
    text: describeAuditedItem(item),
  }));
}
