import { Select } from '@mantine/core';
import { useMemo, useState } from 'react';
import { listZones } from '../lib/time-zones.ts';
import { commonMessages } from '../messages/common.ts';

/** The browser knows more than 400 zones. */
const SHOWN_ZONES = 50;

type Props = { label: string; value: string; onChange: (zone: string) => void };

/** A searchable list of the time zones that the browser knows. */
export function TimeZoneSelect({ label, value, onChange }: Props) {
  const [isOpen, setOpen] = useState(false);
  // Mantine renders all options of a closed list too.
  const zones = useMemo(() => (isOpen ? listZones() : []), [isOpen]);
  return (
    <Select
      label={label}
      searchable
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      allowDeselect={false}
      limit={SHOWN_ZONES}
      data={zones.includes(value) ? zones : [value, ...zones]}
      nothingFoundMessage={commonMessages.noTimeZone}
      value={value}
      onChange={(zone) => zone !== null && onChange(zone)}
    />
  );
}
