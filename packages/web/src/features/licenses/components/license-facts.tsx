import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Fact, FactList } from '../../../components/fact-list.tsx';
import { RevealDialog } from '../../../components/reveal-dialog.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { formatTimestamp } from '../../../lib/format.ts';
import {
  type LicenseDetails,
  revealKey,
  serviceCatalogueQuery,
} from '../../../lib/licenses-api.ts';
import { commonMessages } from '../../../messages/common.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { licensesMessages } from '../../../messages/licenses.ts';
import { ExpiryTime } from './expiry-time.tsx';
import { LicenseStatusLabel } from './license-status-label.tsx';
import { SeatsBar } from './seats-bar.tsx';

const messages = licensesMessages.facts;

export function LicenseFacts({ license }: { license: LicenseDetails }) {
  const [isRevealing, reveal] = useDisclosure(false);
  const { uncounted_sites: uncounted } = license;
  return (
    <FactList>
      <Fact name={messages.key}>
        <span className="mono">{commonMessages.maskedKey(license.key_last_six)}</span>
        <Button variant="default" size="compact-xs" onClick={reveal.open}>
          {messages.revealKey}
        </Button>
        {isRevealing && (
          <RevealDialog
            messages={{ ...licenseDialogsMessages.reveal, label: licenseDialogsMessages.key }}
            reveal={() => revealKey(license.id)}
            onClose={reveal.close}
          />
        )}
      </Fact>
      <Fact name={messages.status}>
        <LicenseStatusLabel status={license.status} />
      </Fact>
      <Fact name={messages.customer}>
        {license.customer ?? <Text c="dimmed">{messages.noCustomer}</Text>}
      </Fact>
      <Fact name={messages.plan}>{license.plan.name}</Fact>
      <Fact name={messages.services}>
        <Services slugs={license.plan.services} />
      </Fact>
      <Fact name={messages.sites}>
        <SeatsBar used={license.sites_used} limit={license.site_limit} />
        {uncounted > 0 && (
          <Text c="dimmed" size="sm">
            {messages.uncounted(uncounted)}
          </Text>
        )}
      </Fact>
      <Fact name={messages.expires}>
        <ExpiryTime license={license} />
        {license.expires_at && license.status !== 'revoked' && (
          <Text c="dimmed" size="sm" className="tabular">
            {formatTimestamp(license.expires_at)}
          </Text>
        )}
      </Fact>
      <Fact name={messages.created}>
        <RelativeTime at={license.created_at} />
      </Fact>
    </FactList>
  );
}

function Services({ slugs }: { slugs: string[] }) {
  const catalogue = useQuery(serviceCatalogueQuery).data ?? [];
  if (slugs.length === 0) return <Text c="dimmed">{messages.noServices}</Text>;
  return slugs
    .map((slug) => catalogue.find((service) => service.slug === slug)?.name ?? slug)
    .join(', ');
}
