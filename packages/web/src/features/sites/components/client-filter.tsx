import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { clientsQuery, isActive, NO_CLIENT } from '../../../lib/clients-api.ts';
import { clientSelectMessages } from '../../../messages/client-select.ts';
import { sitesMessages } from '../../../messages/sites.ts';

const messages = sitesMessages.filters;

type Props = {
  clientId: string | undefined;
  className: string | undefined;
  onChange: (clientId: string | null) => void;
};

/** The clients of the sites that the user may see. Hidden while there are none. */
export function ClientFilter({ clientId, className, onChange }: Props) {
  const { data } = useQuery(clientsQuery);
  const clients =
    data?.filter((client) => isActive(client) || String(client.id) === clientId) ?? [];
  if (clients.length === 0 && clientId === undefined) return null;
  const options = [
    { value: NO_CLIENT, label: clientSelectMessages.none },
    ...clients.map(({ id, name, sites }) => ({
      value: String(id),
      label: messages.withCount(name, sites),
    })),
  ];
  // The URL can name a client that the user may not see.
  const isListed = clientId === undefined || options.some(({ value }) => value === clientId);
  return (
    <Select
      aria-label={messages.client}
      placeholder={messages.anyClient}
      clearable
      clearButtonProps={{ 'aria-label': messages.anyClient }}
      searchable
      className={className}
      data={
        isListed
          ? options
          : [{ value: clientId, label: clientSelectMessages.unknown(clientId) }, ...options]
      }
      value={clientId ?? null}
      onChange={onChange}
    />
  );
}
