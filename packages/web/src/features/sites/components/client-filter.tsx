import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { clientsQuery, isActive } from '../../../lib/clients-api.ts';
import { sitesMessages } from '../../../messages/sites.ts';

const messages = sitesMessages.filters;
/** The panel's word for sites without a client. */
const NO_CLIENT = 'none';

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
    { value: NO_CLIENT, label: messages.noClient },
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
          : [{ value: clientId, label: messages.unknownClient(clientId) }, ...options]
      }
      value={clientId ?? null}
      onChange={onChange}
    />
  );
}
