import { Button, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { connectableLicenseQuery } from '../../../lib/licenses-api.ts';
import { connectManyMessages } from '../../../messages/connect-many.ts';
import { overviewMessages } from '../../../messages/overview.ts';
import { ConnectWays, CreateLicenseDialog } from '../../licenses/index.ts';

const messages = overviewMessages.onboarding;

/** The page of a panel without sites: how to connect the first one. A new panel has a license for it. */
export function Onboarding() {
  const [isCreating, dialog] = useDisclosure();
  const { data: license, error, refetch } = useQuery(connectableLicenseQuery);
  if (license === undefined) {
    return error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows rows={4} />;
  }
  return (
    <Stack gap="md" maw={720}>
      <div>
        <Title order={2}>{messages.title}</Title>
        <Text c="dimmed">{license ? messages.text : messages.license}</Text>
      </div>
      {license ? (
        <>
          <ConnectWays license={license} />
          <TextLink to="/connect">{connectManyMessages.link}</TextLink>
        </>
      ) : (
        <div>
          <Button onClick={dialog.open}>{messages.createLicense}</Button>
        </div>
      )}
      {/* Outside the branch: it shows the new key after the license exists. */}
      {isCreating && <CreateLicenseDialog onClose={dialog.close} />}
    </Stack>
  );
}
