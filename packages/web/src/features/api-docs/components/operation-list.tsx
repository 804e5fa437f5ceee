import { Text, Title } from '@mantine/core';
import type { ApiDescription } from '../api.ts';
import type { OperationGroup } from '../group-operations.ts';
import { OperationDetails } from './operation-details.tsx';
import styles from './operation-list.module.css';

type Props = {
  group: OperationGroup;
  components: ApiDescription['components'];
  /** The id of the open operation. */
  opened: string | undefined;
  onOpen: (operationId: string | undefined) => void;
};

/** The operations of one group. Only the open operation has details, which keeps the page fast. */
export function OperationList({ group, components, opened, onOpen }: Props) {
  return (
    <section aria-labelledby={group.id}>
      <Title order={2} id={group.id} className={styles.group}>
        {group.name}
      </Title>
      <Text c="dimmed">{group.description}</Text>
      <ul className={styles.list}>
        {group.operations.map((operation) => {
          const { operationId, method, path, summary } = operation;
          const isOpen = operationId === opened;
          return (
            <li key={operationId} className={styles.operation}>
              <Title order={3} className={styles.heading}>
                <button
                  type="button"
                  className={styles.button}
                  aria-expanded={isOpen}
                  onClick={() => onOpen(isOpen ? undefined : operationId)}
                >
                  <span className={styles.method}>{method}</span>
                  <span className={styles.path}>{path}</span>
                  <span className={styles.summary}>{summary}</span>
                </button>
              </Title>
              {isOpen && (
                <div className={styles.details}>
                  <OperationDetails operation={operation} components={components} />
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
