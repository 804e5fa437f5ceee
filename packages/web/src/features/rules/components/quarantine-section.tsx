import { Button, Group, Table, Text, Title, VisuallyHidden } from '@mantine/core';
import type { QuarantinedVersion } from '@steward/contract';
import { SoftwareLink } from '../../../components/software-link.tsx';
import { Timestamp } from '../../../components/time.tsx';
import { rulesMessages } from '../../../messages/rules.ts';

const messages = rulesMessages.quarantine;

type Props = {
  versions: QuarantinedVersion[];
  onAdd: () => void;
  onLift: (id: number) => void;
};

/** The open quarantines, and those that were lifted. */
export function QuarantineSection({ versions, onAdd, onLift }: Props) {
  return (
    <section aria-label={messages.title}>
      <Group justify="space-between" mt="xl">
        <Title order={2}>{messages.title}</Title>
        <Button variant="default" size="xs" onClick={onAdd}>
          {messages.add}
        </Button>
      </Group>
      <Text c="dimmed" size="sm">
        {messages.text}
      </Text>
      {versions.length === 0 ? (
        <Text mt="sm">{messages.none}</Text>
      ) : (
        <Table mt={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{messages.columns.version}</Table.Th>
              <Table.Th>{messages.columns.reason}</Table.Th>
              <Table.Th>{messages.columns.since}</Table.Th>
              <Table.Th>
                <VisuallyHidden>{messages.columns.actions}</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {versions.map((version) => (
              <VersionRow key={version.id} version={version} onLift={onLift} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </section>
  );
}

type RowProps = Pick<Props, 'onLift'> & { version: QuarantinedVersion };

function VersionRow({ version, onLift }: RowProps) {
  const { id, item_type, slug, reason, created_by, lifted_by, lift_reason } = version;
  const name = messages.version(version.name, version.version);
  return (
    <Table.Tr>
      <Table.Td>
        <SoftwareLink type={item_type} slug={slug}>
          {name}
        </SoftwareLink>
      </Table.Td>
      <Table.Td>
        {reason}
        {lift_reason !== null && (
          <Text size="sm" c="dimmed">
            {messages.liftedBecause(lifted_by ?? messages.bySystem, lift_reason)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Timestamp at={version.created_at} /> {messages.by(created_by ?? messages.bySystem)}
      </Table.Td>
      <Table.Td>
        {version.lifted_at === null && (
          <Button
            size="xs"
            variant="default"
            onClick={() => onLift(id)}
            aria-label={messages.liftOf(name)}
          >
            {messages.lift}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
