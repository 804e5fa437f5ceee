import { Checkbox, NumberInput, Stack, TextInput } from '@mantine/core';
import { SITE_LIMIT_MAX } from '@steward/contract';
import { DayField } from '../../../components/day-field.tsx';
import { toDay } from '../../../lib/days.ts';
import { commonMessages } from '../../../messages/common.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { validateDay } from '../expiry-date.ts';

const { limit: limitMessages, expiry: expiryMessages } = licenseDialogsMessages;

export type Limit = { number: number | string; isUnlimited: boolean };
/** `day` is the last day on which the license is valid, as `YYYY-MM-DD`. */
export type Expiry = { day: string; neverExpires: boolean };

export const limitOf = ({ number, isUnlimited }: Limit): number | null =>
  isUnlimited ? null : Number(number);

export function validateLimit({ number, isUnlimited }: Limit): string | null {
  if (isUnlimited) return null;
  const isValid =
    Number.isInteger(number) && Number(number) >= 1 && Number(number) <= SITE_LIMIT_MAX;
  return isValid ? null : limitMessages.invalid(SITE_LIMIT_MAX);
}

export const validateExpiry = ({ day, neverExpires }: Expiry): string | null =>
  neverExpires ? null : validateDay(day);

type FieldProps<Value> = {
  value: Value;
  onChange: (value: Value) => void;
  error?: string | null;
};

/** A field for the site limit, with a checkbox for unlimited sites. */
export function LimitField({ value, onChange, error }: FieldProps<Limit>) {
  return (
    <Stack gap={6}>
      <NumberInput
        label={limitMessages.label}
        description={limitMessages.hint}
        min={1}
        max={SITE_LIMIT_MAX}
        allowDecimal={false}
        thousandSeparator=","
        size="sm"
        disabled={value.isUnlimited}
        value={value.isUnlimited ? '' : value.number}
        placeholder={value.isUnlimited ? commonMessages.unlimited : ''}
        onChange={(number) => onChange({ ...value, number })}
        error={error ?? undefined}
      />
      <Checkbox
        label={limitMessages.unlimited}
        checked={value.isUnlimited}
        onChange={(event) => onChange({ ...value, isUnlimited: event.currentTarget.checked })}
      />
    </Stack>
  );
}

/** A field for the last day on which the license is valid, with a checkbox for a license that never expires. */
export function ExpiryField({ value, onChange, error }: FieldProps<Expiry>) {
  const labelProps = { label: expiryMessages.label, description: expiryMessages.hint };
  return (
    <Stack gap={6}>
      {value.neverExpires ? (
        <TextInput
          {...labelProps}
          disabled
          value=""
          placeholder={expiryMessages.neverPlaceholder}
        />
      ) : (
        <DayField
          {...labelProps}
          min={toDay(new Date())}
          value={value.day}
          onChange={(day) => onChange({ ...value, day })}
          error={error ?? undefined}
        />
      )}
      <Checkbox
        label={expiryMessages.never}
        checked={value.neverExpires}
        onChange={(event) => onChange({ ...value, neverExpires: event.currentTarget.checked })}
      />
    </Stack>
  );
}
