import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { type LicenseDetails, limitPreviewQuery, setSiteLimit } from '../../../lib/licenses-api.ts';
import { useLicenseChange } from '../use-license-change.ts';
import { type Limit, LimitField, limitFault, limitOf } from './term-fields.tsx';

const TYPING_PAUSE_MS = 150;

/** Another limit, and what it would mean, before it is set. */
export function LimitDialog(props: { license: LicenseDetails; onClose: () => void }) {
  const { license, onClose } = props;
  const change = useLicenseChange();
  const [limit, setLimit] = useState<Limit>({
    number: license.site_limit ?? '',
    isUnlimited: license.site_limit === null,
  });
  const fault = limitFault(limit);
  return (
    <ConfirmDialog
      title="Change limit"
      confirmLabel="Change limit"
      isBlocked={fault !== null || limitOf(limit) === license.site_limit}
      onClose={onClose}
      onConfirm={() => change(setSiteLimit(license.id, limitOf(limit)), 'The limit is changed.')}
    >
      <LimitField value={limit} onChange={setLimit} error={limit.number === '' ? null : fault} />
      <Preview
        licenseId={license.id}
        limit={fault === null ? limitOf(limit) : license.site_limit}
      />
    </ConfirmDialog>
  );
}

function Preview({ licenseId, limit }: { licenseId: number; limit: number | null }) {
  const [sought] = useDebouncedValue(limit, TYPING_PAUSE_MS);
  const { data, error, refetch } = useQuery(limitPreviewQuery(licenseId, sought));
  if (error) return <ErrorNote error={error} onRetry={refetch} />;
  return (
    <Text c="dimmed" mih={40} role="status">
      {data?.summary}
    </Text>
  );
}
