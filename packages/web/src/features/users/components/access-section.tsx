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
import { commonMessages } from '../../../messages/common.ts';
import { usersMessages } from '../../../messages/users.ts';
import { type Grant, GrantList } from './grant-list.tsx';

const messages = usersMessages.access;

/** The grants of a user. Owners have access to all sites, so grants have no effect for them. */
export function AccessSection({ user }: { user: UserSummary }) {
  const query = accessQuery(user.id);
  const { data, error, refetch } = useQuery(query);
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ call, kind, id }: Change) => call(user.id, kind, id),
    onSuccess: (access) => client.setQueryData(query.queryKey, access),
  });
  const grant = (kind: GrantKind) => (id: number) =>
    change.mutateAsync({ call: grantAccess, kind, id });
  const revoke = (kind: GrantKind) => (id: number) =>
    change.mutate({ call: revokeAccess, kind, id });

  if (error) return <ErrorNote error={error} onRetry={refetch} />;
  if (!data) return <SkeletonRows rows={3} />;
  return (
    <Stack gap="md">
      <Text c="dimmed">{describeAccess(user, data.access)}</Text>
      {change.isError && <ErrorNote error={change.error} />}
      <GrantList
        kind="site"
        grants={data.access.sites.map(toSiteGrant)}
        onGrant={grant('sites')}
        onRevoke={revoke('sites')}
        picker={(props) => <SiteSelect label={messages.grantSiteLabel} {...props} />}
      />
      <GrantList
        kind="license"
        grants={data.access.licenses.map(toLicenseGrant)}
        onGrant={grant('licenses')}
        onRevoke={revoke('licenses')}
        picker={(props) => (
          <SearchSelect
            label={messages.grantLicenseLabel}
            placeholder={messages.licensePlaceholder}
            resource="licenses"
            find={findLicenses}
            nothingFound={commonMessages.noResults}
            {...props}
          />
        )}
      />
    </Stack>
  );
}

type Change = { call: typeof grantAccess; kind: GrantKind; id: number };

function describeAccess({ role, name }: UserSummary, { sites, licenses }: GrantedAccess): string {
  if (role === 'owner') return messages.owner;
  return sites.length + licenses.length === 0 ? messages.none(name) : messages.limited;
}

const toSiteGrant = ({ site_id, site_url, granted_at }: GrantedAccess['sites'][number]): Grant => ({
  id: site_id,
  label: siteName(site_url),
  at: granted_at,
});
const toLicenseGrant = (license: GrantedAccess['licenses'][number]): Grant => ({
  id: license.license_id,
  label: messages.allSitesOf(
    commonMessages.licenseName(license.name ?? '', license.key_last_six).trim(),
  ),
  at: license.granted_at,
});
