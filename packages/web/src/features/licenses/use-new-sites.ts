import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type LicenseSite, licenseQuery, refreshLicenses } from '../../lib/licenses-api.ts';

const POLL_MS = 2000;

/** The sites that connected since the component was mounted. Newest first. */
export function useNewSites(licenseId: number): LicenseSite[] {
  const { data, isFetchedAfterMount } = useQuery({
    ...licenseQuery(licenseId),
    refetchInterval: POLL_MS,
    refetchOnMount: 'always',
  });
  const [known, setKnown] = useState<Set<string> | null>(null);
  const connected = data?.activations.filter(({ status }) => status === 'active');
  // A cached license lacks the sites that connected after it was loaded, which are not new here.
  useEffect(() => {
    if (!connected || !isFetchedAfterMount || known !== null) return;
    setKnown(new Set(connected.map(activationKey)));
  }, [connected, isFetchedAfterMount, known]);
  const added = known ? (connected ?? []).filter((site) => !known.has(activationKey(site))) : [];
  const client = useQueryClient();
  useEffect(() => {
    if (added.length > 0) void refreshLicenses(client);
  }, [added.length, client]);
  return added.sort((a, b) => b.activated_at.localeCompare(a.activated_at));
}

/** Includes the activation time, so that a site that connects again counts as new. */
const activationKey = ({ site_id, activated_at }: LicenseSite): string =>
  `${site_id}@${activated_at}`;
