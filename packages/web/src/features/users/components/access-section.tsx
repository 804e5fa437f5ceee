import { Stack, Text } from '@mantine/core';
import type { GrantedAccess, UserSummary } from '@steward/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SearchSelect } from '../../../components/search-select.tsx';
import { SiteSelect } from '../../../components/site-select.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { siteName } from '../../../lib/site-name.ts';
import {
  accessQuery,
  findLicenses,
  type GrantKind,
  grantAccess,
  revokeAccess,
} from '../../../lib/users-api.ts';
import { type Granted, GrantList } from './grant-list.tsx';

/** What somebody was granted. To owners it makes no difference, and the panel says so. */
export function AccessSection({ user }: { user: UserSummary }) {
  const query = accessQuery(user.id);
  const { data, error, refetch } = useQuery(query);
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ doIt, kind, id }: Change) => doIt(user.id, kind, id),
    onSuccess: (answer) => client.setQueryData(query.queryKey, answer),
  });
  const grant = (kind: GrantKind) => (id: number) =>
    change.mutateAsync({ doIt: grantAccess, kind, id });
  const revoke = (kind: GrantKind) => (id: number) =>
    change.mutate({ doIt: revokeAccess, kind, id });

  if (error) return <ErrorNote error={error} onRetry={refetch} />;
  if (!data) return <SkeletonRows rows={3} />;
  return (
    <Stack gap="md">
      <Text c="dimmed">{noteOf(user, data.access)}</Text>
      {change.isError && <ErrorNote error={change.error} />}
      <GrantList
        kind="site"
        granted={data.access.sites.map(grantedSite)}
        onGrant={grant('sites')}
        onRevoke={revoke('sites')}
        picker={(props) => <SiteSelect label="Grant a site" {...props} />}
      />
      <GrantList
        kind="license"
        granted={data.access.licenses.map(grantedLicense)}
        onGrant={grant('licenses')}
        onRevoke={revoke('licenses')}
        picker={(props) => (
          <SearchSelect
            label="Grant all sites of a license"
            placeholder="End of the key, or plan"
            subject="licenses"
            find={findLicenses}
            nothingFound="No such license"
            {...props}
          />
        )}
      />
    </Stack>
  );
}

type Change = { doIt: typeof grantAccess; kind: GrantKind; id: number };

function noteOf({ role, name }: UserSummary, { sites, licenses }: GrantedAccess): string {
  if (role === 'owner') {
    return 'Owners see every site. What is granted here counts once they are no longer an owner.';
  }
  if (sites.length + licenses.length === 0) {
    return `${name} sees no site yet. Grant single sites, or a license with all its sites.`;
  }
  return 'They see these sites, and no others. A license brings all its sites, later ones too.';
}

const grantedSite = ({
  site_id,
  site_url,
  granted_at,
}: GrantedAccess['sites'][number]): Granted => ({
  id: site_id,
  label: siteName(site_url),
  at: granted_at,
});
const grantedLicense = (license: GrantedAccess['licenses'][number]): Granted => ({
  id: license.license_id,
  label: `All sites of license …${license.key_last_six}`,
  at: license.granted_at,
});
