import { Checkbox, NumberInput, Stack, TextInput } from '@mantine/core';
import { SITE_LIMIT_MAX } from '@steward/contract';
import { formatNumber } from '../../../lib/format.ts';
import { dayFault, dayOf } from '../last-day.ts';

export type Limit = { number: number | string; isUnlimited: boolean };
export type Term = { day: string; isForever: boolean };

export const limitOf = ({ number, isUnlimited }: Limit): number | null =>
  isUnlimited ? null : Number(number);

export function limitFault({ number, isUnlimited }: Limit): string | null {
  if (isUnlimited) return null;
  const isFine =
    Number.isInteger(number) && Number(number) >= 1 && Number(number) <= SITE_LIMIT_MAX;
  return isFine ? null : `Enter a whole number from 1 to ${formatNumber(SITE_LIMIT_MAX)}.`;
}

export const termFault = ({ day, isForever }: Term): string | null =>
  isForever ? null : dayFault(day);

type FieldProps<Value> = {
  value: Value;
  onChange: (value: Value) => void;
  error?: string | null;
};

/** How many sites, or any number of them. */
export function LimitField({ value, onChange, error }: FieldProps<Limit>) {
  return (
    <Stack gap={6}>
      <NumberInput
        label="Site limit"
        description="Local and staging sites take no slot."
        min={1}
        max={SITE_LIMIT_MAX}
        allowDecimal={false}
        thousandSeparator=","
        size="sm"
        disabled={value.isUnlimited}
        value={value.isUnlimited ? '' : value.number}
        placeholder={value.isUnlimited ? 'Unlimited' : ''}
        onChange={(number) => onChange({ ...value, number })}
        error={error ?? undefined}
      />
      <Checkbox
        label="Unlimited sites"
        checked={value.isUnlimited}
        onChange={(event) => onChange({ ...value, isUnlimited: event.currentTarget.checked })}
      />
    </Stack>
  );
}

/** The last day, or never. */
export function TermField({ value, onChange, error }: FieldProps<Term>) {
  return (
    <Stack gap={6}>
      <TextInput
        type={value.isForever ? 'text' : 'date'}
        placeholder="Never"
        label="Expires after"
        description="It works to the end of this day, in your time zone."
        min={dayOf(new Date())}
        disabled={value.isForever}
        value={value.isForever ? '' : value.day}
        onChange={(event) => onChange({ ...value, day: event.currentTarget.value })}
        error={error ?? undefined}
      />
      <Checkbox
        label="Never expires"
        checked={value.isForever}
        onChange={(event) => onChange({ ...value, isForever: event.currentTarget.checked })}
      />
    </Stack>
  );
}
