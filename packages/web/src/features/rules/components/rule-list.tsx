import { ActionIcon, Menu, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import type { UpdateRule } from '@steward/contract';
import { IconDots } from '@tabler/icons-react';
import { DangerMenuItem } from '../../../components/danger-menu-item.tsx';
import { rulesMessages as messages } from '../../../messages/rules.ts';
import styles from './rules.module.css';

type Props = {
  rules: UpdateRule[];
  onEdit: (id: number) => void;
  onDelete: (id: number) => void;
};

const SCOPES = ['fleet', 'tag', 'site'] as const;

/** The rules by scope, from general to specific. */
export function RuleList({ rules, onEdit, onDelete }: Props) {
  return (
    <Stack gap="lg">
      {SCOPES.map((scope) => {
        const group = rules.filter((rule) => rule.scope === scope);
        if (group.length === 0) return null;
        return (
          <section key={scope} aria-label={messages.groups[scope]}>
            <Title order={2}>{messages.groups[scope]}</Title>
            <ul className={styles.list}>
              {group.map((rule) => (
                <RuleLine key={rule.id} rule={rule} onEdit={onEdit} onDelete={onDelete} />
              ))}
            </ul>
          </section>
        );
      })}
    </Stack>
  );
}

function RuleLine({ rule, onEdit, onDelete }: Omit<Props, 'rules'> & { rule: UpdateRule }) {
  const sentence = messages.sentence(rule);
  return (
    <li className={styles.rule}>
      <div>
        <UnstyledButton className={styles.sentence} onClick={() => onEdit(rule.id)}>
          {sentence}
        </UnstyledButton>
        {rule.note && (
          <Text size="sm" c="dimmed">
            {rule.note}
          </Text>
        )}
      </div>
      <div className={`${styles.sites} tabular`}>{messages.sites(rule.sites)}</div>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={messages.actions(sentence)}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => onEdit(rule.id)}>{messages.edit}</Menu.Item>
          <DangerMenuItem onClick={() => onDelete(rule.id)}>{messages.remove}</DangerMenuItem>
        </Menu.Dropdown>
      </Menu>
    </li>
  );
}
