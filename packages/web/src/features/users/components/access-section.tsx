import { Stack, Text } from '@mantine/core';
import type { ChangeAccessRequest, GrantedAccess, UserSummary } from '@steward/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { findSites } from '../../../components/site-select.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { findClients } from '../../../lib/clients-api.ts';
import { accessQuery, changeAccess, findLicenses, findTags } from '../../../lib/users-api.ts';
import { commonMessages } from '../../../messages/common.ts';
import { usersMessages } from '../../../messages/users.ts';
import { type Grant, type GrantKind, GrantList } from './grant-list.tsx';

const messages = usersMessages.access;

const FINDERS = {
  site: findSites,
  license: findLicenses,
  client: findClients,
  tag: findTags,
} as const;
const KINDS = Object.keys(FINDERS) as GrantKind[];

/** The grants of a user. Owners have access to all sites, so grants have no effect for them. */
export function AccessSection({ user }: { user: UserSummary }) {
  const query = accessQuery(user.id);
  const { data, error, refetch } = useQuery(query);
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ verb, body }: Change) => changeAccess(user.id, verb, body),
    onSuccess: (access) => client.setQueryData(query.queryKey, access),
  });

  if (!data) {
    return error ? <ErrorNote error={error} onRetry={refetch} /> : <SkeletonRows rows={3} />;
  }
  const grants: Record<GrantKind, Grant[]> = {
    site: data.access.sites.map(toSiteGrant),
    license: data.access.licenses.map(toLicenseGrant),
    client: data.access.clients.map(toClientGrant),
    tag: data.access.tags.map(toTagGrant),
  };
  return (
    <Stack gap="md">
      <Text c="dimmed">{describeAccess(user, data.access)}</Text>
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {change.isError && <ErrorNote error={change.error} />}
      {KINDS.map((kind) => (
        <GrantList
          key={kind}
          kind={kind}
          grants={grants[kind]}
          find={FINDERS[kind]}
          onGrant={(targets) =>
            change.mutateAsync({ verb: 'grant', body: toRequest(kind, targets) })
          }
          onRevoke={(target) => change.mutate({ verb: 'revoke', body: toRequest(kind, [target]) })}
        />
      ))}
      <Text size="sm" c="dimmed">
        {messages.laterNote}
      </Text>
    </Stack>
  );
}

type Change = { verb: 'grant' | 'revoke'; body: ChangeAccessRequest };

function toRequest(kind: GrantKind, targets: string[]): ChangeAccessRequest {
  if (kind === 'tag') return { tags: targets };
  const ids = targets.map(Number);
  if (kind === 'client') return { client_ids: ids };
  return kind === 'site' ? { site_ids: ids } : { license_ids: ids };
}

function describeAccess({ role, name }: UserSummary, access: GrantedAccess): string {
  if (role === 'owner') return messages.owner;
  const hasGrant = Object.values(access).some((grants) => grants.length > 0);
  return hasGrant ? messages.limited : messages.none(name);
}

const toSiteGrant = ({
  site_id,
  site_name,
  granted_at,
}: GrantedAccess['sites'][number]): Grant => ({
  target: String(site_id),
  label: site_name,
  at: granted_at,
});
const toLicenseGrant = (license: GrantedAccess['licenses'][number]): Grant => ({
  target: String(license.license_id),
  label: messages.allSitesOf(
    commonMessages.licenseName(license.name ?? '', license.key_last_six).trim(),
  ),
  at: license.granted_at,
});
const toClientGrant = (grant: GrantedAccess['clients'][number]): Grant => ({
  target: String(grant.client_id),
  label: messages.allSitesOfClient(grant.name, grant.sites),
  at: grant.granted_at,
});
const toTagGrant = ({ tag, sites, granted_at }: GrantedAccess['tags'][number]): Grant => ({
  target: tag,
  label: messages.allSitesWith(tag, sites),
  at: granted_at,
});
