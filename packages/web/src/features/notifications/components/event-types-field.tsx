import { Checkbox, Stack } from '@mantine/core';
import type { NotificationEventType } from '@steward/contract';
import { notificationsMessages } from '../../../messages/notifications.ts';

type Props = {
  available: readonly NotificationEventType[];
  value: NotificationEventType[];
  onChange: (types: NotificationEventType[]) => void;
};

export function EventTypesField({ available, value, onChange }: Props) {
  return (
    <Checkbox.Group
      label={notificationsMessages.events}
      value={value}
      onChange={(types) => onChange(available.filter((type) => types.includes(type)))}
    >
      <Stack gap={6} mt={6}>
        {available.map((type) => (
          <Checkbox key={type} value={type} label={notificationsMessages.eventTypes[type]} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
