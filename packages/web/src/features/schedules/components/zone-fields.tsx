import { Radio, Stack } from '@mantine/core';
import { TimeZoneSelect } from '../../../components/time-zone-select.tsx';
import { schedulesMessages } from '../../../messages/schedules.ts';
import type { FormValues } from '../form-values.ts';

const messages = schedulesMessages.dialog;

type Props = { values: FormValues; onChange: (changes: Partial<FormValues>) => void };

export function ZoneFields({ values: { in_site_zone, time_zone }, onChange }: Props) {
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
      <TimeZoneSelect
        label={in_site_zone ? messages.fallbackZone : messages.fixedZone}
        value={time_zone}
        onChange={(zone) => onChange({ time_zone: zone })}
      />
    </Stack>
  );
}
