import { Button, Group } from '@mantine/core';
import { auditMessages } from '../../../messages/audit.ts';
import { type AuditSearch, QUICK_RANGES, quickRange } from '../filters.ts';
import styles from './audit-filters.module.css';

const messages = auditMessages.filters;

type Props = { search: AuditSearch; onChange: (filters: AuditSearch) => void };

/** Buttons that set both dates. A click on the active range clears both dates. */
export function QuickRanges({ search, onChange }: Props) {
  return (
    <Group
      gap={6}
      wrap="nowrap"
      className={styles.ranges}
      role="group"
      aria-label={messages.ranges}
    >
      {QUICK_RANGES.map((days) => {
        const range = quickRange(days, new Date());
        const isActive = search.from === range.from && search.to === range.to;
        return (
          <Button
            key={days}
            size="compact-sm"
            variant={isActive ? 'light' : 'default'}
            aria-pressed={isActive}
            onClick={() => onChange(isActive ? { from: undefined, to: undefined } : range)}
          >
            {messages.lastDays(days)}
          </Button>
        );
      })}
    </Group>
  );
}
