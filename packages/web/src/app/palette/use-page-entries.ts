import { IconUserCircle } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { appMessages } from '../../messages/app.ts';
import { usePages } from '../pages.ts';
import type { Entry } from './entry.tsx';

export function usePageEntries(): Entry[] {
  const navigate = useNavigate();
  const { account: label } = appMessages.pages;
  const account = { to: '/account', label, icon: IconUserCircle } as const;
  return [...usePages(), account].map(({ to, label, icon }) => ({
    id: `page-${to}`,
    label,
    icon,
    onSelect: () => void navigate({ to }),
  }));
}
