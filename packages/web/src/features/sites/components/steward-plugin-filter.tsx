import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { sitesMessages } from '../../../messages/sites.ts';
import type { Filters } from '../api.ts';

const messages = sitesMessages.filters;

type Props = { filters: Filters; onChange: (changes: Filters) => void };

/** Shows that the list has only sites with an outdated Steward plugin; a click clears the filter. */
export function StewardPluginFilter({ filters, onChange }: Props) {
  if (filters.steward_plugin !== 'outdated') return null;
  return (
    <Button
      variant="default"
      rightSection={<IconX size={14} aria-hidden />}
      onClick={() => onChange({ steward_plugin: undefined })}
      title={messages.clearStewardPlugin}
    >
      {messages.stewardPluginOutdated}
    </Button>
  );
}
