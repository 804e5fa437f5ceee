import { Anchor, Text } from '@mantine/core';
import { parseRuntime, type SiteDetails } from '@steward/contract';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { lazyComponent } from '../../../components/lazy-component.tsx';
import { LicenseName } from '../../../components/license-name.tsx';
import { SupportedVersion } from '../../../components/supported-version.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { useHasPermission } from '../../../lib/session.ts';
import { siteMessages } from '../../../messages/site.ts';
import styles from './site-facts.module.css';

const CheckedPagesDialog = lazyComponent(
  () => import('./checked-pages-dialog.tsx'),
  'CheckedPagesDialog',
);
const WebLoginDialog = lazyComponent(() => import('./web-login-dialog.tsx'), 'WebLoginDialog');
const messages = siteMessages.facts;

/** Versions, license, key and address of the site. */
export function SiteFacts({ site }: { site: SiteDetails }) {
  const mayAct = useHasPermission('sites.act');
  const [isLoginOpen, setLoginOpen] = useState(false);
  const [arePagesOpen, setPagesOpen] = useState(false);
  const runtime = parseRuntime(site.php_version);
  const isPhp = runtime.name === 'PHP';
  const missingEncryption = describeMissingEncryption(site);
  return (
    <dl className={styles.facts}>
      <Fact name={messages.cms}>
        {isPhp ? (
          <SupportedVersion software="wordpress" version={site.cms_version} hasText />
        ) : (
          site.cms_version
        )}
      </Fact>
      <Fact name={runtime.name}>
        {isPhp ? (
          <SupportedVersion software="php" version={runtime.version} hasText />
        ) : (
          runtime.version
        )}
      </Fact>
      <Fact name={messages.plugin}>{site.plugin_version}</Fact>
      <Fact name={messages.environment}>{site.environment}</Fact>
      <Fact name={messages.counted}>{describeSeat(site)}</Fact>
      <Fact name={messages.lastCheck}>
        <RelativeTime at={site.last_check_at} />
      </Fact>
      <Fact name={messages.lastReport}>
        <RelativeTime at={site.inventory_at} />
      </Fact>
      <Fact name={messages.license}>
        <License site={site} />
      </Fact>
      <Fact name={messages.key}>
        <Key site={site} />
      </Fact>
      <Fact name={messages.address}>
        <Address site={site} />
      </Fact>
      {missingEncryption !== null && (
        <Fact name={messages.encryption}>
          <Text span inherit c="var(--steward-bad)">
            {missingEncryption}
          </Text>
        </Fact>
      )}
      {site.accepts_unsigned_calls && (
        <Fact name={messages.unsignedCalls}>
          <Text span inherit c="var(--steward-bad)">
            {messages.unsignedAccepted}
          </Text>
        </Fact>
      )}
      {mayAct && (
        <Fact name={messages.webLogin}>
          <Anchor component="button" size="sm" onClick={() => setLoginOpen(true)}>
            {site.has_web_login ? messages.webLoginStored : messages.webLoginNone}
          </Anchor>
        </Fact>
      )}
      {mayAct && (
        <Fact name={messages.checkedPages}>
          <Anchor component="button" size="sm" onClick={() => setPagesOpen(true)}>
            {messages.checkedPagesCount(site.checked_pages.length)}
          </Anchor>
        </Fact>
      )}
      {arePagesOpen && <CheckedPagesDialog site={site} onClose={() => setPagesOpen(false)} />}
      {isLoginOpen && <WebLoginDialog site={site} onClose={() => setLoginOpen(false)} />}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd className="tabular">{children}</dd>
    </div>
  );
}

function describeSeat({ status, counted }: SiteDetails): string {
  if (status === 'deactivated') return messages.countedDisconnected;
  return counted ? messages.countedYes : messages.countedNo;
}

/** Steward may call an approved endpoint, which can use https although the pages of the site do not. */
function describeMissingEncryption({ url, endpoint_url }: SiteDetails): string | null {
  if (!url.startsWith('http:')) return null;
  const isCalledOverHttps = endpoint_url?.startsWith('https:') ?? false;
  return isCalledOverHttps ? messages.pagesNotEncrypted : messages.noEncryption;
}

function Key({ site: { key, key_ends_at } }: { site: SiteDetails }) {
  if (key === 'site') return messages.siteKey;
  if (key === 'license' || key_ends_at === null) return messages.sharedKey;
  const hasEnded = new Date(key_ends_at) <= new Date();
  return hasEnded ? messages.oldKeyEnded(key_ends_at) : messages.oldKeyEnds(key_ends_at);
}

function Address({ site: { key, address, unproven_endpoint_url } }: { site: SiteDetails }) {
  if (unproven_endpoint_url !== null)
    return messages.newAddressNotProven(unproven_endpoint_url, address.error);
  if (address.proven) return messages.proven;
  if (key !== 'site') return messages.connectAgain;
  return address.error ? messages.notProvenBecause(address.error) : messages.notProven;
}

function License({ site: { license } }: { site: SiteDetails }) {
  const isOwner = useHasPermission('owner');
  return (
    <>
      {isOwner ? (
        <Link to="/licenses/$licenseId" params={{ licenseId: String(license.id) }}>
          <LicenseName license={license} />
        </Link>
      ) : (
        <LicenseName license={license} />
      )}
      {messages.licenseState(license)}
    </>
  );
}
