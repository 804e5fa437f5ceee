import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { type LicenseDetails, limitPreviewQuery, setSiteLimit } from '../../../lib/licenses-api.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { useLicenseChange } from '../use-license-change.ts';
import { type Limit, LimitField, limitOf, validateLimit } from './limit-and-expiry-fields.tsx';

const DEBOUNCE_MS = 150;
const messages = licenseDialogsMessages.limit;

/** Changes the site limit. Shows the effect before the user confirms. */
export function LimitDialog(props: { license: LicenseDetails; onClose: () => void }) {
  const { license, onClose } = props;
  const change = useLicenseChange();
  const [limit, setLimit] = useState<Limit>({
    number: license.site_limit ?? '',
    isUnlimited: license.site_limit === null,
  });
  const error = validateLimit(limit);
  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={messages.title}
      blockedBy={
        error ?? (limitOf(limit) === license.site_limit ? blockedMessages.unchanged : null)
      }
      onClose={onClose}
      onConfirm={() => change(setSiteLimit(license.id, limitOf(limit)), messages.done)}
    >
      <LimitField value={limit} onChange={setLimit} error={limit.number === '' ? null : error} />
      <Preview
        licenseId={license.id}
        limit={error === null ? limitOf(limit) : license.site_limit}
      />
    </ConfirmDialog>
  );
}

function Preview({ licenseId, limit }: { licenseId: number; limit: number | null }) {
  const [previewed] = useDebouncedValue(limit, DEBOUNCE_MS);
  const { data, error, refetch } = useQuery(limitPreviewQuery(licenseId, previewed));
  if (error && !data) return <ErrorNote error={error} onRetry={refetch} />;
  return (
    <Text c="dimmed" mih={40} role="status">
      {data?.summary}
    </Text>
  );
}
