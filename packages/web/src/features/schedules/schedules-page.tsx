import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { schedulesMessages as messages } from '../../messages/schedules.ts';
import { type Schedule, schedulesQuery } from './api.ts';
import { ScheduleCalendar } from './components/schedule-calendar.tsx';
import { ScheduleTable } from './components/schedule-table.tsx';
import { StopScheduleDialog } from './components/stop-schedule-dialog.tsx';
import { ScheduleDialog } from './dialogs.ts';

type OpenDialog =
  | { kind: 'create' }
  | { kind: 'edit' | 'delete' | 'disable'; schedule: Schedule }
  | null;

export function SchedulesPage() {
  const { data, error, refetch } = useQuery(schedulesQuery);
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const close = () => setDialog(null);
  const createButton = (
    <Button
      leftSection={<IconPlus size={15} aria-hidden />}
      onClick={() => setDialog({ kind: 'create' })}
    >
      {messages.create}
    </Button>
  );
  const isEmpty = data?.schedules.length === 0;
  return (
    <>
      <PageHeader
        title={messages.title}
        note={messages.note}
        action={data && !isEmpty ? createButton : undefined}
      />
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows rows={6} />}
      {isEmpty && (
        <EmptyState title={messages.emptyTitle} action={createButton}>
          {messages.empty}
        </EmptyState>
      )}
      {data && !isEmpty && (
        <>
          <ScheduleTable
            schedules={data.schedules}
            onEdit={(schedule) => setDialog({ kind: 'edit', schedule })}
            onDelete={(schedule) => setDialog({ kind: 'delete', schedule })}
            onDisable={(schedule) => setDialog({ kind: 'disable', schedule })}
          />
          <ScheduleCalendar schedules={data.schedules} upcoming={data.upcoming} />
        </>
      )}
      {dialog?.kind === 'create' && <ScheduleDialog onClose={close} />}
      {dialog?.kind === 'edit' && <ScheduleDialog schedule={dialog.schedule} onClose={close} />}
      {(dialog?.kind === 'delete' || dialog?.kind === 'disable') && (
        <StopScheduleDialog action={dialog.kind} schedule={dialog.schedule} onClose={close} />
      )}
    </>
  );
}
