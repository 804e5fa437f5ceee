import { List, Text } from '@mantine/core';
import type { UpdateSummaryRequest } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { HoldNote } from '../../../components/hold-note.tsx';
import { updateSummaryQuery } from '../../../lib/update-summary-api.ts';
import { schedulesMessages } from '../../../messages/schedules.ts';
import { describeLeftOut } from '../../run-dialogs/index.ts';
import { type FormValues, toSelection, toUpdates } from '../form-values.ts';

const messages = schedulesMessages.dialog;

/** What a start of the schedule would do now, and which sites it would leave out. */
export function ScheduleEffect({ values }: { values: FormValues }) {
  const request = toSummaryRequest(values);
  const { data } = useQuery({ ...updateSummaryQuery(request ?? {}), enabled: request !== null });
  if (!request || !data) return null;
  return (
    <div aria-live="polite">
      <Text size="sm">{messages.effect(data.sites, data.updates)}</Text>
      {data.left_out.length > 0 && (
        <List size="sm" mt={2}>
          {data.left_out.map((entry) => (
            <List.Item key={`${entry.reason} ${entry.hold?.explanation}`}>
              {entry.hold ? (
                <>
                  {messages.leftOut(entry.sites)} <HoldNote hold={entry.hold} />
                </>
              ) : (
                describeLeftOut(entry)
              )}
            </List.Item>
          ))}
        </List>
      )}
    </div>
  );
}

/** A schedule for all types also updates sites that can only install everything, except in rings. */
function toSummaryRequest(values: FormValues): UpdateSummaryRequest | null {
  const [selection, updates] = [toSelection(values), toUpdates(values)];
  if (!selection || !updates) return null;
  const { types, items } = updates;
  if (items.length > 0) {
    return { selection, items: items.map(({ type, slug }) => ({ type, slug })) };
  }
  return types.length === 3 && !values.in_rings ? { selection } : { selection, types };
}
