import { Button } from '@mantine/core';
import type { SoftwareType } from '@steward/contract';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { softwareItemQuery } from '../../../lib/software-api.ts';
import { SOFTWARE_TYPES } from '../../../lib/software-types.ts';
import { sitesMessages } from '../../../messages/sites.ts';
import { softwareMessages } from '../../../messages/software.ts';
import type { Filters } from '../api.ts';

const messages = sitesMessages.filters;

type Props = { filters: Filters; onChange: (changes: Filters) => void };

/** Shows the plugin, theme or core in the filter; a click clears the filter. */
export function SoftwareFilter({ filters, onChange }: Props) {
  const type = SOFTWARE_TYPES.find((each) => each === filters.software_type);
  if (!type || !filters.software) return null;
  const clear = () =>
    onChange({
      software_type: undefined,
      software: undefined,
      software_version: undefined,
      software_outdated: undefined,
    });
  return (
    <SoftwareButton
      type={type}
      slug={filters.software}
      version={filters.software_version}
      isOutdated={filters.software_outdated === 'true'}
      onClear={clear}
    />
  );
}

type ButtonProps = {
  type: SoftwareType;
  slug: string;
  version: string | undefined;
  isOutdated: boolean;
  onClear: () => void;
};

function SoftwareButton({ type, slug, version, isOutdated, onClear }: ButtonProps) {
  const { data } = useQuery(softwareItemQuery({ type, slug }));
  const name = data?.name ?? slug;
  // "Core: 6.8", because the name of core is also "Core".
  const parts = type === 'core' ? [version] : [name, version];
  return (
    <Button
      variant="default"
      rightSection={<IconX size={14} aria-hidden />}
      onClick={onClear}
      title={messages.clearSoftware}
    >
      {messages.software(softwareMessages.types[type], parts, isOutdated)}
    </Button>
  );
}
