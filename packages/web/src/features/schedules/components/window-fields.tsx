import { Chip, Group, Input, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { DayField } from '../../../components/day-field.tsx';
import { schedulesMessages } from '../../../messages/schedules.ts';
import type { FormValues } from '../form-values.ts';

const messages = schedulesMessages.dialog;
const WHEN = ['tonight', 'day', 'week'] as const;

type Props = {
  values: FormValues;
  today: string;
  onChange: (changes: Partial<FormValues>) => void;
};

/** The days on which the window opens, and its times. */
export function WindowFields({ values, today, onChange }: Props) {
  const { when, day, opens_at, closes_at } = values;
  const closesHint =
    opens_at === closes_at
      ? { error: messages.noLength }
      : { description: closes_at < opens_at ? messages.closesNextDay : undefined };
  return (
    <Stack gap="xs">
      <Input.Wrapper label={messages.when} labelElement="div">
        <SegmentedControl
          fullWidth
          mt={4}
          aria-label={messages.when}
          data={WHEN.map((value) => ({ value, label: messages.whenOptions[value] }))}
          value={when}
          onChange={(value) => onChange({ when: value as FormValues['when'] })}
        />
      </Input.Wrapper>
      {when === 'day' && (
        <DayField
          label={messages.day}
          min={today}
          required
          value={day}
          onChange={(chosen) => onChange({ day: chosen })}
        />
      )}
      {when === 'week' && (
        <Weekdays days={values.weekdays} onChange={(weekdays) => onChange({ weekdays })} />
      )}
      <Group gap="sm" grow align="flex-start">
        <TextInput
          type="time"
          label={messages.opens}
          required
          value={opens_at}
          onChange={(event) => onChange({ opens_at: event.currentTarget.value })}
        />
        <TextInput
          type="time"
          label={messages.closes}
          required
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={closes_at}
          onChange={(event) => onChange({ closes_at: event.currentTarget.value })}
          {...closesHint}
        />
      </Group>
    </Stack>
  );
}

function Weekdays({ days, onChange }: { days: number[]; onChange: (days: number[]) => void }) {
  return (
    <Input.Wrapper
      label={messages.weekdays}
      labelElement="div"
      error={days.length === 0 ? messages.noDays : undefined}
    >
      <Chip.Group
        multiple
        value={days.map(String)}
        onChange={(chosen) => onChange(chosen.map(Number))}
      >
        <Group gap={6} mt={4} mb={4}>
          {messages.shortWeekdays.map((label, index) => (
            <Chip
              key={label}
              value={String(index + 1)}
              size="xs"
              aria-label={messages.weekdayNames[index]}
            >
              {label}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  );
}
