import { Text } from '@mantine/core';
import type { UpdateRule } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { rulesMessages } from '../../../messages/rules.ts';
import { deleteRule, refreshRules } from '../api.ts';

const messages = rulesMessages.removeDialog;

export function DeleteRuleDialog({ rule, onClose }: { rule: UpdateRule; onClose: () => void }) {
  const client = useQueryClient();
  const confirm = async () => {
    await deleteRule(rule.id);
    await refreshRules(client);
    notifySuccess(messages.done);
  };
  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={messages.title}
      isDangerous
      onConfirm={confirm}
      onClose={onClose}
    >
      <Text>{rulesMessages.sentence(rule)}</Text>
      <Text c="dimmed">{rule.aspect === 'restore' ? messages.restoreText : messages.text}</Text>
    </ConfirmDialog>
  );
}
