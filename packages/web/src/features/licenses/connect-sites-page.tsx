import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { connectableLicenseQuery } from '../../lib/licenses-api.ts';
import { appMessages } from '../../messages/app.ts';
import { connectManyMessages as messages } from '../../messages/connect-many.ts';
import { AddressesForm } from './components/addresses-form.tsx';
import { ConnectedAddresses } from './components/connected-addresses.tsx';
import type { CreatedCodes } from './created-codes.ts';

/** Connects many sites: reads a list of addresses, creates a code for each, and shows which have connected. */
export function ConnectSitesPage() {
  const { data: license, error, refetch } = useQuery(connectableLicenseQuery);
  const [created, setCreated] = useState<CreatedCodes | null>(null);
  return (
    <>
      <PageHeader
        width="reading"
        title={messages.title}
        note={messages.note}
        back={{ to: '/sites', label: appMessages.pages.sites }}
      />
      <Stack gap="md">
        {created ? (
          <ConnectedAddresses {...created} onRestart={() => setCreated(null)} />
        ) : license === undefined ? (
          error ? (
            <ErrorNote error={error} onRetry={refetch} />
          ) : (
            <SkeletonRows rows={4} />
          )
        ) : (
          <AddressesForm suggested={license} onCreated={setCreated} />
        )}
      </Stack>
    </>
  );
}
