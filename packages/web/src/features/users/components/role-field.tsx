import { Radio, Stack } from '@mantine/core';
import { ROLES, type Role } from '@steward/contract';
import { ROLE_WORDS } from '../../../lib/role-words.ts';

type Props = { value: Role; onChange: (role: Role) => void };

export function RoleField({ value, onChange }: Props) {
  return (
    <Radio.Group label="Role" value={value} onChange={(role) => onChange(role as Role)}>
      <Stack gap={10} mt={6}>
        {ROLES.map((role) => (
          <Radio
            key={role}
            value={role}
            size="md"
            label={ROLE_WORDS[role].label}
            description={ROLE_WORDS[role].may}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
