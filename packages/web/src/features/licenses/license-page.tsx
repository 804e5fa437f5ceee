import { Button, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ErrorNote } from '../../components/error-note.tsx';
import { NotFound } from '../../components/not-found.tsx';
import { OwnersOnly } from '../../components/owners-only.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { errorCodeOf } from '../../lib/api.ts';
import { type LicenseDetails, licenseQuery } from '../../lib/licenses-api.ts';
import { commonMessages } from '../../messages/common.ts';
import { licensesMessages } from '../../messages/licenses.ts';
import { LicenseActions } from './components/license-actions.tsx';
import { LicenseFacts } from './components/license-facts.tsx';
import { LicenseSites } from './components/license-sites.tsx';
import { RotationNote } from './components/rotation-note.tsx';
import { ConnectDialog } from './dialogs.ts';

const route = getRouteApi('/signed-in/licenses/$licenseId');
const BACK = { to: '/licenses', label: licensesMessages.title } as const;

export function LicensePage() {
  const { licenseId } = route.useParams();
  return (
    <OwnersOnly title={licensesMessages.singular} hint={licensesMessages.ownersHint}>
      <License key={licenseId} id={Number(licenseId)} />
    </OwnersOnly>
  );
}

function License({ id }: { id: number }) {
  const { data: license, error, refetch } = useQuery(licenseQuery(id));
  if (error && ['not_found', 'invalid_request'].includes(errorCodeOf(error) ?? '')) {
    return (
      <NotFound entity={licensesMessages.singular.toLowerCase()} back={BACK}>
        {commonMessages.notFound.wrongLink}
      </NotFound>
    );
  }
  if (!license) {
    return (
      <>
        <PageHeader title={licensesMessages.singular} note="" back={BACK} />
        {error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows rows={6} />}
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={headingOf(license)}
        note={licensesMessages.note(license.plan.name, license.customer)}
        back={BACK}
        action={license.valid ? <ConnectButton license={license} /> : undefined}
      />
      {error && <ErrorNote error={error} onRetry={refetch} />}
      <LicenseFacts license={license} />
      <LicenseActions license={license} />
      {license.rotation && <RotationNote license={license} rotation={license.rotation} />}
      <Title order={2} mt={28} mb={4}>
        {licensesMessages.sites}
      </Title>
      <LicenseSites license={license} />
    </>
  );
}

function headingOf({ name, key_last_six }: LicenseDetails): string {
  const key = commonMessages.maskedKey(key_last_six);
  return name === null ? licensesMessages.heading(key) : licensesMessages.namedHeading(name, key);
}

function ConnectButton({ license }: { license: LicenseDetails }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconPlugConnected size={15} aria-hidden />} onClick={dialog.open}>
        {licensesMessages.connect}
      </Button>
      {isOpen && <ConnectDialog license={license} onClose={dialog.close} />}
    </>
  );
}
