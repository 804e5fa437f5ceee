import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type LicenseSite, licenseQuery, licensesChanged } from '../../lib/licenses-api.ts';

const LOOK_EVERY_MS = 2000;

/** The sites that came under a license since the component is shown, latest first. */
export function useNewSites(licenseId: number): LicenseSite[] {
  const { data } = useQuery({ ...licenseQuery(licenseId), refetchInterval: LOOK_EVERY_MS });
  const [before, setBefore] = useState<Set<string> | null>(null);
  const connected = data?.activations.filter(({ status }) => status === 'active');
  useEffect(() => {
    if (connected && before === null) setBefore(new Set(connected.map(momentOf)));
  }, [connected, before]);
  const fresh = before ? (connected ?? []).filter((site) => !before.has(momentOf(site))) : [];
  const client = useQueryClient();
  useEffect(() => {
    if (fresh.length > 0) void licensesChanged(client);
  }, [fresh.length, client]);
  return fresh.sort((one, other) => other.activated_at.localeCompare(one.activated_at));
}

/** A site that left and came back has connected again. */
const momentOf = ({ site_id, activated_at }: LicenseSite): string => `${site_id}@${activated_at}`;
