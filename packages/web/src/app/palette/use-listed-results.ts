import { roleMay } from '@steward/contract';
import { IconBuilding, IconTag, IconUser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { clientsQuery, isActive } from '../../lib/clients-api.ts';
import { useUser } from '../../lib/session.ts';
import { tagsQuery } from '../../lib/tags-api.ts';
import { usersQuery } from '../../lib/users-api.ts';
import { appMessages } from '../../messages/app.ts';
import type { Entry } from './entry.tsx';

const MAX_RESULTS = 5;

type Results = { users: Entry[]; clients: Entry[]; tags: Entry[]; isSearching: boolean };

/** Finds users, clients and tags. The panel has no search for them: it returns all of them, and this hook filters. */
export function useListedResults(text: string, isSearchable: boolean): Results {
  const isOwner = roleMay(useUser().role, 'owner');
  const navigate = useNavigate();
  const users = useQuery({ ...usersQuery, enabled: isSearchable && isOwner });
  const tags = useQuery({ ...tagsQuery, enabled: isSearchable });
  const clients = useQuery({ ...clientsQuery, enabled: isSearchable });
  const query = text.toLowerCase();
  const filter = <Item>(items: Item[] | undefined, textOf: (item: Item) => string): Item[] =>
    isSearchable
      ? (items ?? [])
          .filter((item) => textOf(item).toLowerCase().includes(query))
          .slice(0, MAX_RESULTS)
      : [];

  return {
    isSearching: users.isLoading || clients.isLoading || tags.isLoading,
    users: filter(users.data?.users, ({ name, email }) => `${name} ${email}`).map(
      ({ id, name, email }) => ({
        id: `user-${id}`,
        label: name,
        note: email,
        icon: IconUser,
        onSelect: () => void navigate({ to: '/users', search: { user: String(id) } }),
      }),
    ),
    clients: filter(clients.data?.filter(isActive), ({ name }) => name).map(
      ({ id, name, sites }) => ({
        id: `client-${id}`,
        label: name,
        note: appMessages.palette.siteCount(sites),
        icon: IconBuilding,
        onSelect: () => void navigate({ to: '/sites', search: { client_id: String(id) } }),
      }),
    ),
    tags: filter(tags.data?.tags, ({ name }) => name).map(({ name, sites }) => ({
      id: `tag-${name}`,
      label: name,
      note: appMessages.palette.siteCount(sites),
      icon: IconTag,
      onSelect: () => void navigate({ to: '/sites', search: { tag: name } }),
    })),
  };
}
