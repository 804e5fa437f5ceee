import { Button, Radio, Stack, Text, TextInput } from '@mantine/core';
import { explainScheduleFailure } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Blockable } from '../../../components/blockable.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogFooter } from '../../../components/dialog-footer.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { ProofField } from '../../../components/proof-field.tsx';
import { toDay } from '../../../lib/days.ts';
import { notifySuccess } from '../../../lib/notify.ts';
import { useUser } from '../../../lib/session.ts';
import { browserZone } from '../../../lib/time-zones.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { commonMessages } from '../../../messages/common.ts';
import { schedulesMessages } from '../../../messages/schedules.ts';
import { type Schedule, type ScheduleSelection, saveSchedule, schedulesQuery } from '../api.ts';
import { type FormValues, toFormValues, toScheduleRequest } from '../form-values.ts';
import { toLocalTime } from '../window-times.ts';
import { ScheduleEffect } from './schedule-effect.tsx';
import { ScheduleSummary } from './schedule-summary.tsx';
import { SitesField } from './sites-field.tsx';
import { UpdatesField } from './updates-field.tsx';
import { WindowFields } from './window-fields.tsx';
import { ZoneFields } from './zone-fields.tsx';

const messages = schedulesMessages.dialog;
const NO_SELECTION: ScheduleSelection = {};

type Props = {
  /** Undefined: the dialog creates a schedule. */
  schedule?: Schedule;
  /** The filters of the site list, for a new schedule. */
  selection?: ScheduleSelection;
  onClose: () => void;
};

export function ScheduleDialog({ schedule, selection = NO_SELECTION, onClose }: Props) {
  const client = useQueryClient();
  const [values, setValues] = useState(() =>
    toFormValues(schedule, selection, toLocalTime(new Date(), browserZone())),
  );
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const change = (changes: Partial<FormValues>) => setValues({ ...values, ...changes });
  const now = toLocalTime(new Date(), values.time_zone);
  const request = toScheduleRequest(values, now, schedule?.enabled ?? true);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!request) return;
    setBusy(true);
    setError(null);
    try {
      await saveSchedule(schedule?.schedule_id ?? null, request);
      notifySuccess(schedule ? messages.saved(request.name) : messages.created(request.name));
      await client.invalidateQueries({ queryKey: schedulesQuery.queryKey });
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const close = isBusy ? () => {} : onClose;
  return (
    <Dialog
      title={schedule ? messages.editTitle(schedule.name) : messages.createTitle}
      onClose={close}
      size="lg"
    >
      <form onSubmit={(event) => void save(event)}>
        <Stack gap="md">
          <TextInput
            label={messages.name}
            placeholder={messages.namePlaceholder}
            maxLength={100}
            required
            data-autofocus
            value={values.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <SitesField values={values} onChange={change} />
          <UpdatesField values={values} onChange={change} />
          <WindowFields values={values} today={toDay(new Date())} onChange={change} />
          <ZoneFields values={values} onChange={change} />
          <Radio.Group
            label={messages.how}
            value={values.in_rings ? 'rings' : 'once'}
            onChange={(how) => change({ in_rings: how === 'rings' })}
          >
            <Stack gap={6} mt={6}>
              <Radio value="once" label={messages.howOptions.once} />
              <Radio
                value="rings"
                label={messages.howOptions.rings}
                description={values.in_rings && messages.rings}
              />
            </Stack>
          </Radio.Group>
          {values.in_rings && (
            <ProofField
              value={values.proof_percent}
              onChange={(proof_percent) => change({ proof_percent })}
            />
          )}
          <ScheduleSummary values={values} now={now} />
          <ScheduleEffect values={values} />
          <AccessNote schedule={schedule} />
          {error !== null && <ErrorNote error={error} />}
          <DialogFooter>
            <Button variant="default" onClick={close}>
              {commonMessages.cancel}
            </Button>
            <Blockable reason={request ? null : blockedMessages.schedule}>
              <Button type="submit" loading={isBusy}>
                {schedule ? messages.save : schedulesMessages.create}
              </Button>
            </Blockable>
          </DialogFooter>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Explains that the schedule runs with the access of its creator until the user chooses other sites. */
function AccessNote({ schedule }: { schedule: Schedule | undefined }) {
  const user = useUser();
  if (!schedule?.created_by || schedule.created_by === user.name) return null;
  const { created_by, last_error_code } = schedule;
  const needsNewUser =
    last_error_code !== null && explainScheduleFailure(last_error_code).next === 'take_over';
  return (
    <Text size="sm" c="dimmed">
      {needsNewUser ? messages.needsNewUser(created_by) : messages.takesOver(created_by)}
    </Text>
  );
}
