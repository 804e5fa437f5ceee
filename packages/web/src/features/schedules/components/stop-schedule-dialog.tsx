import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { schedulesMessages } from '../../../messages/schedules.ts';
import { deleteSchedule, type Schedule, saveSchedule, schedulesQuery, toRequest } from '../api.ts';

const messages = schedulesMessages.stop;

type Props = { action: 'delete' | 'disable'; schedule: Schedule; onClose: () => void };

/** Asks before a schedule stops, because waiting sites are cancelled. */
export function StopScheduleDialog({ action, schedule, onClose }: Props) {
  const client = useQueryClient();
  const { schedule_id: id, name } = schedule;
  const isDelete = action === 'delete';
  const stop = async () => {
    if (isDelete) await deleteSchedule(id);
    else await saveSchedule(id, { ...toRequest(schedule), enabled: false });
    notifySuccess(isDelete ? messages.deleted(name) : messages.disabled(name));
    await client.invalidateQueries({ queryKey: schedulesQuery.queryKey });
  };
  return (
    <ConfirmDialog
      title={isDelete ? messages.deleteTitle(name) : messages.disableTitle(name)}
      confirmLabel={isDelete ? messages.delete : messages.disable}
      isDangerous={isDelete}
      onConfirm={stop}
      onClose={onClose}
    >
      <Text>
        {messages.effect} {isDelete ? messages.deletedRollouts : messages.disabledRollouts}{' '}
        {messages.keptUpdates} {!isDelete && messages.canEnable}
      </Text>
    </ConfirmDialog>
  );
}
