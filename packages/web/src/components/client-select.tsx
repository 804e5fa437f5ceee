import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { clientsQuery, isActive, NO_CLIENT } from '../lib/clients-api.ts';
import { useHasPermission } from '../lib/session.ts';
import { clientSelectMessages as messages } from '../messages/client-select.ts';
import { commonMessages } from '../messages/common.ts';
import { ErrorNote } from './error-note.tsx';
import { TextLink } from './text-link.tsx';

type Props = {
  label: string;
  /** The id of a client, or `NO_CLIENT`. */
  value: string | null;
  onChange: (client: string | null) => void;
  /** Also offers `NO_CLIENT`. */
  hasNone?: boolean;
};

/** Chooses one of the clients that the user may see. */
export function ClientSelect({ label, value, onChange, hasNone = false }: Props) {
  const { data, error, refetch } = useQuery(clientsQuery);
  const clients = data?.filter((client) => isActive(client) || String(client.id) === value) ?? [];
  const options = clients.map(({ id, name }) => ({ value: String(id), label: name }));
  const isListed =
    value === null || value === NO_CLIENT || options.some((each) => each.value === value);
  return (
    <>
      <Select
        label={label}
        placeholder={messages.placeholder}
        searchable
        allowDeselect={false}
        data={[
          ...(hasNone ? [{ value: NO_CLIENT, label: messages.none }] : []),
          // The user may no longer see the client.
          ...(isListed ? [] : [{ value, label: messages.unknown(value) }]),
          ...options,
        ]}
        nothingFoundMessage={commonMessages.noResults}
        value={value}
        onChange={onChange}
      />
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {data && clients.length === 0 && <NoClients />}
    </>
  );
}

function NoClients() {
  const isOwner = useHasPermission('owner');
  return (
    <Text size="sm" c="dimmed">
      {isOwner ? (
        <>
          {messages.noClients}{' '}
          <TextLink to="/clients" search={{ new: '1' }} size="sm" underline="always">
            {messages.create}
          </TextLink>
        </>
      ) : (
        messages.askOwner
      )}
    </Text>
  );
}
