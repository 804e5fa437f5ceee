import { Anchor, Text } from '@mantine/core';
import type { SiteDetails } from '@steward/contract';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Ago } from '../../../components/moment.tsx';
import { formatDay } from '../../../lib/format.ts';
import { useMay } from '../../../lib/session.ts';
import styles from './site-facts.module.css';
import { WebLoginDialog } from './web-login-dialog.tsx';

/** What is known of the site, in two lines. */
export function SiteFacts({ site }: { site: SiteDetails }) {
  const mayAct = useMay('sites.act');
  const [asksForLogin, setAsksForLogin] = useState(false);
  return (
    <dl className={styles.facts}>
      <Fact name="CMS">{site.cms_version}</Fact>
      <Fact name="PHP">{site.php_version}</Fact>
      <Fact name="Plugin">{site.plugin_version}</Fact>
      <Fact name="Environment">{site.environment}</Fact>
      <Fact name="Slot">{site.counted ? 'takes one' : 'takes none (local or staging)'}</Fact>
      <Fact name="Last check">
        <Ago at={site.last_check_at} />
      </Fact>
      <Fact name="Last report">
        <Ago at={site.inventory_at} />
      </Fact>
      <Fact name="License">
        <License site={site} />
      </Fact>
      <Fact name="Key">
        <Key site={site} />
      </Fact>
      <Fact name="Address">
        <Address site={site} />
      </Fact>
      {site.url.startsWith('http:') && (
        <Fact name="Encryption">
          <Text span inherit c="red">
            none: calls travel over http. Move the site to https
          </Text>
        </Fact>
      )}
      {site.accepts_unsigned_calls && (
        <Fact name="Unsigned calls">
          <Text span inherit c="red">
            accepted from everyone who has its key; the site can switch that off
          </Text>
        </Fact>
      )}
      {mayAct && (
        <Fact name="Web server login">
          <Anchor component="button" size="sm" onClick={() => setAsksForLogin(true)}>
            {site.has_web_login ? 'stored' : 'none'}
          </Anchor>
        </Fact>
      )}
      {asksForLogin && <WebLoginDialog site={site} onClose={() => setAsksForLogin(false)} />}
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

function Key({ site: { key, key_ends_at } }: { site: SiteDetails }) {
  if (key === 'site') return 'its own';
  if (key === 'license' || key_ends_at === null) return 'shared license key';
  const hasEnded = new Date(key_ends_at) <= new Date();
  return `old license key, ${hasEnded ? 'ended' : 'ends'} ${formatDay(key_ends_at)}`;
}

function Address({ site: { key, address } }: { site: SiteDetails }) {
  if (address.proven) return 'proven';
  const why = key !== 'site' ? 'connect it with the current plugin' : address.error;
  return why ? `not proven: ${why}` : 'not proven';
}

function License({ site: { license } }: { site: SiteDetails }) {
  const isOwner = useMay('owner');
  const key = `…${license.key_last_six}`;
  return (
    <>
      {isOwner ? (
        <Link to="/licenses/$licenseId" params={{ licenseId: String(license.id) }}>
          {license.plan.name} <span className="mono">{key}</span>
        </Link>
      ) : (
        <>
          {license.plan.name} <span className="mono">{key}</span>
        </>
      )}
      {license.expires_at !== null && `, until ${formatDay(license.expires_at)}`}
    </>
  );
}
