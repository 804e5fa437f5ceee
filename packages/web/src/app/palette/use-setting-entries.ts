import { roleMay } from '@steward/contract';
import { IconSettings } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { SETTINGS } from '../../lib/page-sections.ts';
import { useUser } from '../../lib/session.ts';
import { appMessages } from '../../messages/app.ts';
import type { Entry } from './entry.tsx';
import { matchesWords } from './matches-words.ts';

const messages = appMessages.palette.settings;

/** The settings that match the text. Without a text the list would hide the pages. */
export function useSettingEntries(text: string): Entry[] {
  const { role } = useUser();
  const navigate = useNavigate();
  if (text === '') return [];
  return SETTINGS.filter(([id, { permission }]) => {
    const { label, keywords } = messages[id];
    return roleMay(role, permission) && matchesWords(text, `${label} ${keywords}`);
  }).map(([id, { to, isSection }]) => ({
    id: `setting-${id}`,
    label: messages[id].label,
    note: messages[id].note,
    icon: IconSettings,
    onSelect: () => void navigate({ to, ...(isSection !== false && { hash: id }) }),
  }));
}
