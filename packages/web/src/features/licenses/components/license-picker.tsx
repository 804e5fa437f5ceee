import { Button, Group } from '@mantine/core';
import type { LicenseSummary } from '@steward/contract';
import { IconPlus } from '@tabler/icons-react';
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
  return (
    <Group align="flex-end" gap="xs">
      <div style={{ flex: '1 1 240px', minWidth: 0 }}>
        <SearchSelect
          label={connectMessages.license}
          placeholder={connectMessages.licensePlaceholder}
          resource="license-summaries"
          find={findOptions}
          nothingFound={commonMessages.noResults}
          value={value && toOption(value)}
          onChange={(option) => onChange(option?.license ?? null)}
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

const findOptions = async (search: string, signal: AbortSignal) =>
  (await findLicenseSummaries(search, MAX_RESULTS, signal)).map(toOption);

const toOption = (license: LicenseSummary) => ({
  value: String(license.id),
  label: commonMessages.licenseName(license.name ?? license.plan.name, license.key_last_six),
  ...(license.customer !== null && { note: license.customer }),
  license,
});
