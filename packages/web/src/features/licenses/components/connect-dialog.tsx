import { Stack, Text } from '@mantine/core';
import type { LicenseSummary } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { connectableLicenseQuery } from '../../../lib/licenses-api.ts';
import { connectMessages } from '../../../messages/connect.ts';
import { connectManyMessages } from '../../../messages/connect-many.ts';
import { ConnectWays } from './connect-ways.tsx';
import { CreateLicenseForm } from './create-license-form.tsx';
import { LicensePicker } from './license-picker.tsx';

type Props = {
  /** If absent, the user picks or creates a license. */
  license?: LicenseSummary;
  onClose: () => void;
};

/** Connects a site: pick or create a license, then choose a way. Shows each site that connects meanwhile. */
export function ConnectDialog({ license, onClose }: Props) {
  return (
    <Dialog title={connectMessages.title} onClose={onClose} size="xl" closeOnClickOutside={false}>
      {license ? <ConnectWays license={license} /> : <WithPickedLicense onClose={onClose} />}
    </Dialog>
  );
}

function WithPickedLicense({ onClose }: Pick<Props, 'onClose'>) {
  const { data: suggested, error, refetch, isFetching } = useQuery(connectableLicenseQuery);
  // Undefined: not chosen yet, so the suggested license applies. Null: the user cleared the choice.
  const [picked, setPicked] = useState<LicenseSummary | null | undefined>();
  const [isCreating, setCreating] = useState(false);
  // When a site has used the last seat, the query returns another license. The dialog must keep its license: the codes
  // and new sites on the screen belong to it.
  if (picked === undefined && suggested && !isFetching) setPicked(suggested);
  if (suggested === undefined) {
    return error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows rows={4} />;
  }
  if (isCreating || (suggested === null && !picked)) {
    return (
      <Stack gap="sm">
        <Text>
          <b>{connectMessages.createTitle}</b> {connectMessages.createHint}
        </Text>
        <CreateLicenseForm
          onCreated={({ license_key: _, ...created }) => {
            setPicked(created);
            setCreating(false);
          }}
          onCancel={() => (suggested === null ? onClose() : setCreating(false))}
        />
      </Stack>
    );
  }
  const license = picked === undefined ? suggested : picked;
  return (
    <Stack gap="md">
      <LicensePicker value={license} onChange={setPicked} onCreate={() => setCreating(true)} />
      <TextLink to="/connect">{connectManyMessages.link}</TextLink>
      {license ? (
        <ConnectWays key={license.id} license={license} />
      ) : (
        <Text c="dimmed">{connectMessages.chooseLicense}</Text>
      )}
    </Stack>
  );
}
