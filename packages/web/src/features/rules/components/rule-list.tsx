import { Button, Group, Stack, Table, Text, Title, VisuallyHidden } from '@mantine/core';
import type { UpdateRule } from '@steward/contract';
import { rulesMessages as messages } from '../../../messages/rules.ts';

type Props = {
  rules: UpdateRule[];
  onEdit: (id: number) => void;
  onDelete: (id: number) => void;
};

const SCOPES = ['fleet', 'tag', 'site'] as const;

/** The rules by scope. A narrower scope wins, so it comes last. */
export function RuleList({ rules, onEdit, onDelete }: Props) {
  return (
    <Stack gap="lg">
      {SCOPES.map((scope) => {
        const group = rules.filter((rule) => rule.scope === scope);
        if (group.length === 0) return null;
        return (
          <section key={scope} aria-label={messages.groups[scope]}>
            <Title order={2}>{messages.groups[scope]}</Title>
            <Table mt={4}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{messages.columns.rule}</Table.Th>
                  <Table.Th>{messages.columns.sites}</Table.Th>
                  <Table.Th>
                    <VisuallyHidden>{messages.columns.actions}</VisuallyHidden>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {group.map((rule) => (
                  <RuleRow key={rule.id} rule={rule} onEdit={onEdit} onDelete={onDelete} />
                ))}
              </Table.Tbody>
            </Table>
          </section>
        );
      })}
    </Stack>
  );
}

function RuleRow({ rule, onEdit, onDelete }: Omit<Props, 'rules'> & { rule: UpdateRule }) {
  const sentence = messages.sentence(rule);
  return (
    <Table.Tr>
      <Table.Td>
        {sentence}
        {rule.note && (
          <Text size="sm" c="dimmed">
            {rule.note}
          </Text>
        )}
      </Table.Td>
      <Table.Td className="tabular">{messages.sites(rule.sites)}</Table.Td>
      <Table.Td>
        <Group gap={6} justify="flex-end">
          <Button
            size="xs"
            variant="default"
            onClick={() => onEdit(rule.id)}
            aria-label={messages.editRule(sentence)}
          >
            {messages.edit}
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => onDelete(rule.id)}
            aria-label={messages.removeRule(sentence)}
          >
            {messages.remove}
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
