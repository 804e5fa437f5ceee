import { Radio, Select, Stack } from '@mantine/core';
import { useMemo, useState } from 'react';
import { schedulesMessages } from '../../../messages/schedules.ts';
import type { FormValues } from '../form-values.ts';
import { listZones } from '../window-times.ts';

const messages = schedulesMessages.dialog;
/** The browser knows more than 400 zones. */
const SHOWN_ZONES = 50;

type Props = { values: FormValues; onChange: (changes: Partial<FormValues>) => void };

export function ZoneFields({ values: { in_site_zone, time_zone }, onChange }: Props) {
  const [isOpen, setOpen] = useState(false);
  // Mantine renders all options of a closed list too.
  const zones = useMemo(() => (isOpen ? listZones() : []), [isOpen]);
  return (
    <Stack gap="xs">
      <Radio.Group
        label={messages.zone}
        value={in_site_zone ? 'site' : 'fixed'}
        onChange={(zone) => onChange({ in_site_zone: zone === 'site' })}
      >
        <Stack gap={6} mt={6}>
          <Radio value="site" label={messages.zoneOptions.site} />
          <Radio value="fixed" label={messages.zoneOptions.fixed} />
        </Stack>
      </Radio.Group>
      <Select
        label={in_site_zone ? messages.fallbackZone : messages.fixedZone}
        searchable
        onDropdownOpen={() => setOpen(true)}
        onDropdownClose={() => setOpen(false)}
        allowDeselect={false}
        limit={SHOWN_ZONES}
        data={zones.includes(time_zone) ? zones : [time_zone, ...zones]}
        nothingFoundMessage={messages.noZone}
        value={time_zone}
        onChange={(zone) => zone !== null && onChange({ time_zone: zone })}
      />
    </Stack>
  );
}
