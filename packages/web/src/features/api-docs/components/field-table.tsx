import { Table, Text } from '@mantine/core';
import { apiDocsMessages } from '../../../messages/api-docs.ts';
import type { Field } from '../list-fields.ts';
import styles from './field-table.module.css';
import { InlineText } from './prose.tsx';

const { columns } = apiDocsMessages;

export function FieldTable({ label, fields }: { label: string; fields: Field[] }) {
  if (fields.length === 0) return null;
  return (
    <Table.ScrollContainer minWidth={480} type="native">
      <Table aria-label={label} verticalSpacing={5} className={styles.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{columns.field}</Table.Th>
            <Table.Th>{columns.type}</Table.Th>
            <Table.Th>{columns.description}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map(({ path, type, limits, isRequired, description }) => (
            <Table.Tr key={path}>
              <Table.Td className="mono">{path}</Table.Td>
              <Table.Td>
                {type}
                <Text size="xs" c="dimmed">
                  {[isRequired && apiDocsMessages.required, limits].filter(Boolean).join(', ')}
                </Text>
              </Table.Td>
              <Table.Td>
                <InlineText text={description} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
