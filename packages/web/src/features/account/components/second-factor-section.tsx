import { Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Banner } from '../../../components/banner.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { accountMessages } from '../../../messages/account.ts';
import { secondFactorsQuery } from '../second-factor-api.ts';
import { AuthenticatorApp } from './authenticator-app.tsx';
import { BackupCodes } from './backup-codes.tsx';
import { BackupCodesDialog } from './backup-codes-dialog.tsx';
import { Passkeys } from './passkeys.tsx';

const messages = accountMessages.requirement;

/** The authenticator app, passkeys and backup codes of the signed-in user. */
export function SecondFactorSection() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(secondFactorsQuery);
  const [codes, setCodes] = useState<string[] | null>(null);
  const refresh = () => client.invalidateQueries(secondFactorsQuery);
  const showCodes = (backupCodes: string[]) => {
    setCodes(backupCodes);
    void refresh();
  };
  if (!data) {
    return error ? (
      <ErrorNote error={error} onRetry={refetch} />
    ) : (
      <SkeletonRows rows={2} height={52} />
    );
  }
  const { totp, backup_codes, passkeys, required } = data.second_factors;
  const isMissing = required && !totp && passkeys.length === 0;
  return (
    <Stack gap="md">
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {isMissing && (
        <Banner tone="warn" role="status" title={messages.title}>
          {messages.description}
        </Banner>
      )}
      <AuthenticatorApp isOn={totp} onCodes={showCodes} onChanged={refresh} />
      <Passkeys passkeys={passkeys} onChanged={refresh} />
      {(totp || passkeys.length > 0) && (
        <BackupCodes remaining={backup_codes} onCodes={showCodes} />
      )}
      {codes && <BackupCodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </Stack>
  );
}
