import { Anchor, Table, UnstyledButton } from '@mantine/core';
import { ClientLogo } from '../../../components/client-logo.tsx';
import { NameText } from '../../../components/name-text.tsx';
import table from '../../../components/page-table.module.css';
import { TextLink } from '../../../components/text-link.tsx';
import type { ClientItem } from '../../../lib/clients-api.ts';
import { useHasPermission } from '../../../lib/session.ts';
import { clientsMessages as messages } from '../../../messages/clients.ts';
import { ClientMenu } from './client-menu.tsx';
import styles from './client-table.module.css';

const { columns } = messages;

type Handlers = Record<'onEdit' | 'onArchive', (client: ClientItem) => void>;
type Props = Handlers & { clients: ClientItem[] };

/** Only owners change clients. */
export function ClientTable({ clients, ...handlers }: Props) {
  const isOwner = useHasPermission('owner');
  // An empty column would leave no space for the names on a phone.
  const hasContacts = clients.some((client) => client.contact_name ?? client.contact_email);
  return (
    <Table className={table.table} borderColor="var(--steward-line)" aria-label={messages.title}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{columns.client}</Table.Th>
          {hasContacts && <Table.Th>{columns.contact}</Table.Th>}
          <Table.Th className={styles.zone}>{columns.timeZone}</Table.Th>
          <Table.Th className={styles.sites}>{columns.sites}</Table.Th>
          {isOwner && <Table.Th className={styles.actions} aria-label={columns.actions} />}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {clients.map((client) => (
          <ClientRow key={client.id} {...{ client, isOwner, hasContacts }} {...handlers} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

type RowProps = Handlers & { client: ClientItem; isOwner: boolean; hasContacts: boolean };

function ClientRow({ client, isOwner, hasContacts, onEdit, onArchive }: RowProps) {
  const { name, time_zone } = client;
  return (
    <Table.Tr>
      <Table.Td>
        <div className={styles.nameCell}>
          <ClientLogo client={client} />
          {isOwner ? (
            <UnstyledButton
              className={styles.name}
              aria-label={messages.editOne(name)}
              onClick={() => onEdit(client)}
            >
              <NameText>{name}</NameText>
            </UnstyledButton>
          ) : (
            <span className={styles.name}>
              <NameText>{name}</NameText>
            </span>
          )}
        </div>
      </Table.Td>
      {hasContacts && (
        <Table.Td>
          <Contact client={client} />
        </Table.Td>
      )}
      <Table.Td className={styles.zone}>{time_zone.replaceAll('_', ' ')}</Table.Td>
      <Table.Td className={`${styles.sites} tabular`}>
        <Sites client={client} />
      </Table.Td>
      {isOwner && (
        <Table.Td className={styles.actions}>
          <ClientMenu client={client} onEdit={onEdit} onArchive={onArchive} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function Contact({ client: { contact_name, contact_email } }: { client: ClientItem }) {
  return (
    <div className="truncate" title={[contact_name, contact_email].filter(Boolean).join(', ')}>
      {contact_name}
      {contact_email !== null && (
        <Anchor
          href={`mailto:${contact_email}`}
          size="sm"
          className={contact_name === null ? undefined : styles.email}
        >
          {contact_email}
        </Anchor>
      )}
    </div>
  );
}

function Sites({ client: { id, name, sites } }: { client: ClientItem }) {
  if (sites === 0) return messages.noSites;
  return (
    <TextLink
      to="/sites"
      search={{ client_id: String(id) }}
      size="sm"
      aria-label={messages.showSites(name, sites)}
    >
      {messages.sites(sites)}
    </TextLink>
  );
}
