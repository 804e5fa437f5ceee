import { Radio, Stack } from '@mantine/core';
import { ROLES, type Role } from '@steward/contract';
import { rolesMessages } from '../../../messages/roles.ts';
import { usersMessages } from '../../../messages/users.ts';

type Props = { value: Role; onChange: (role: Role) => void };

export function RoleField({ value, onChange }: Props) {
  return (
    <Radio.Group
      label={usersMessages.profile.role}
      value={value}
      onChange={(role) => onChange(role as Role)}
    >
      <Stack gap={10} mt={6}>
        {ROLES.map((role) => (
          <Radio
            key={role}
            value={role}
            size="md"
            label={rolesMessages[role].label}
            description={rolesMessages[role].description}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
