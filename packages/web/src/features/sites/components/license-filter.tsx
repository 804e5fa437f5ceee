import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { licenseQuery } from '../../../lib/licenses-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { commonMessages } from '../../../messages/common.ts';
import { sitesMessages } from '../../../messages/sites.ts';

const messages = sitesMessages.filters;

type Props = { licenseId: string; onClear: () => void };

/** Shows the license in the filter; a click clears the filter. Only owners may read licenses; other users see the id. */
export function LicenseFilter({ licenseId, onClear }: Props) {
  const isOwner = useHasPermission('owner');
  const isId = /^[1-9]\d{0,14}$/.test(licenseId);
  const { data } = useQuery({ ...licenseQuery(Number(licenseId)), enabled: isOwner && isId });
  const name = data
    ? commonMessages.licenseName(data.name ?? data.plan.name, data.key_last_six)
    : licenseId;
  return (
    <Button
      variant="default"
      rightSection={<IconX size={14} aria-hidden />}
      onClick={onClear}
      title={messages.clearLicense}
    >
      {messages.license(name)}
    </Button>
  );
}
