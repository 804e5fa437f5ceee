import { Button, Group } from '@mantine/core';
import type { LicenseSummary } from '@steward/contract';
import { IconPlus } from '@tabler/icons-react';
import { useRef } from 'react';
import { SearchSelect } from '../../../components/search-select.tsx';
import { findLicenseSummaries } from '../../../lib/licenses-api.ts';
import { commonMessages } from '../../../messages/common.ts';
import { connectMessages } from '../../../messages/connect.ts';

type Props = {
  value: LicenseSummary | null;
  onChange: (license: LicenseSummary | null) => void;
  onCreate: () => void;
};

const MAX_RESULTS = 20;

export function LicensePicker({ value, onChange, onCreate }: Props) {
  // The select knows only the ids and labels of the licenses that it found.
  const found = useRef(new Map<string, LicenseSummary>());
  const find = async (search: string, signal: AbortSignal) => {
    const licenses = await findLicenseSummaries(search, MAX_RESULTS, signal);
    for (const license of licenses) found.current.set(String(license.id), license);
    return licenses.map(toOption);
  };
  return (
    <Group align="flex-end" gap="xs">
      <div style={{ flex: '1 1 240px', minWidth: 0 }}>
        <SearchSelect
          label={connectMessages.license}
          placeholder={connectMessages.licensePlaceholder}
          resource="connectable-licenses"
          find={find}
          nothingFound={commonMessages.noResults}
          value={value && toOption(value)}
          onChange={(option) => {
            const isSame = option !== null && option.value === String(value?.id);
            if (!isSame) onChange((option && found.current.get(option.value)) ?? null);
          }}
        />
      </div>
      <Button
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={onCreate}
        style={{ flex: 'none' }}
      >
        {connectMessages.newLicense}
      </Button>
    </Group>
  );
}

const toOption = ({ id, name, plan, key_last_six, customer }: LicenseSummary) => ({
  value: String(id),
  label: commonMessages.licenseName(name ?? plan.name, key_last_six),
  ...(customer !== null && { note: customer }),
});
