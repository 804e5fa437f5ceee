import { Text, Textarea } from '@mantine/core';
import { QUARANTINE_REASON_MAX_LENGTH, type SoftwareType } from '@steward/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import type { FoundOption } from '../../../components/search-select.tsx';
import { notifySuccess } from '../../../lib/notify.ts';
import { parseOption, toOption } from '../../../lib/software-options.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { rulesMessages } from '../../../messages/rules.ts';
import { quarantineVersion, refreshRules } from '../api.ts';
import { SoftwareSelect } from './software-select.tsx';
import { VersionSelect } from './version-select.tsx';

const messages = rulesMessages.quarantine;

type Version = { type: SoftwareType; slug: string; name: string; version: string; reason: string };
type Props = { initial?: Version; onClose: () => void };

export function QuarantineDialog({ initial, onClose }: Props) {
  const client = useQueryClient();
  const [software, setSoftware] = useState<FoundOption | null>(initial ? toOption(initial) : null);
  const [version, setVersion] = useState(initial?.version ?? '');
  const [reason, setReason] = useState(
    initial?.reason.slice(0, QUARANTINE_REASON_MAX_LENGTH) ?? '',
  );
  const parsed = software && parseOption(software);
  const item = parsed && { type: parsed.item_type, slug: parsed.slug };
  const chooseSoftware = (chosen: FoundOption | null) => {
    setSoftware(chosen);
    // Another item has other versions.
    setVersion('');
  };
  const confirm = async () => {
    if (!software) return;
    await quarantineVersion({ ...parseOption(software), version: version.trim(), reason });
    await refreshRules(client);
    notifySuccess(messages.added);
  };
  return (
    <ConfirmDialog
      title={messages.addTitle}
      confirmLabel={messages.addConfirm}
      blockedBy={
        !software || version.trim() === '' || reason.trim() === ''
          ? blockedMessages.quarantine
          : null
      }
      onConfirm={confirm}
      onClose={onClose}
    >
      <Text c="dimmed" size="sm">
        {messages.text}
      </Text>
      <SoftwareSelect label={messages.software} value={software} onChange={chooseSoftware} />
      <VersionSelect item={item} value={version} onChange={setVersion} />
      <Textarea
        label={messages.reason}
        required
        maxLength={QUARANTINE_REASON_MAX_LENGTH}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </ConfirmDialog>
  );
}
