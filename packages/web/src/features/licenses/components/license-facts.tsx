import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Ago } from '../../../components/moment.tsx';
import { SlotsBar } from '../../../components/slots-bar.tsx';
import { formatMoment, formatNumber } from '../../../lib/format.ts';
import { type LicenseDetails, serviceCatalogueQuery } from '../../../lib/licenses-api.ts';
import { maskedKey } from '../license-words.ts';
import { Expiry } from './expiry.tsx';
import styles from './license-facts.module.css';
import { LicenseLight } from './license-light.tsx';
import { RevealKeyDialog } from './reveal-key-dialog.tsx';

export function LicenseFacts({ license }: { license: LicenseDetails }) {
  const [isRevealing, reveal] = useDisclosure(false);
  const { uncounted_sites: uncounted } = license;
  return (
    <dl className={styles.facts}>
      <Fact name="Key">
        <span className="mono">{maskedKey(license.key_last_six)}</span>
        <Button variant="default" size="compact-xs" onClick={reveal.open}>
          Reveal key
        </Button>
        {isRevealing && <RevealKeyDialog license={license} onClose={reveal.close} />}
      </Fact>
      <Fact name="Status">
        <LicenseLight status={license.status} />
      </Fact>
      <Fact name="Plan">{license.plan.name}</Fact>
      <Fact name="Services">
        <Services slugs={license.plan.services} />
      </Fact>
      <Fact name="Slots">
        <SlotsBar used={license.sites_used} limit={license.site_limit} />
        {uncounted > 0 && (
          <Text c="dimmed" size="sm">
            and {formatNumber(uncounted)} local, without a slot
          </Text>
        )}
      </Fact>
      <Fact name="Expires">
        <Expiry at={license.expires_at} />
        {license.expires_at && (
          <Text c="dimmed" size="sm" className="tabular">
            {formatMoment(license.expires_at)}
          </Text>
        )}
      </Fact>
      <Fact name="Created">
        <Ago at={license.created_at} />
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Services({ slugs }: { slugs: string[] }) {
  const catalogue = useQuery(serviceCatalogueQuery).data ?? [];
  if (slugs.length === 0) return <Text c="dimmed">none</Text>;
  return slugs
    .map((slug) => catalogue.find((service) => service.slug === slug)?.name ?? slug)
    .join(', ');
}
