import { type Permission, roleMay } from '@steward/contract';
import {
  IconChecklist,
  IconKey,
  IconLayoutDashboard,
  IconPlayerPlay,
  IconPuzzle,
  IconUserCircle,
  IconUsers,
  IconWorld,
  type TablerIcon,
} from '@tabler/icons-react';
import { type LinkProps, useNavigate } from '@tanstack/react-router';
import { useUser } from '../../lib/session.ts';
import type { Entry } from './entry.tsx';

type Page = { to: LinkProps['to']; label: string; icon: TablerIcon; permission: Permission };

const PAGES: Page[] = [
  { to: '/', label: 'Overview', icon: IconLayoutDashboard, permission: 'sites.view' },
  { to: '/sites', label: 'Sites', icon: IconWorld, permission: 'sites.view' },
  { to: '/runs', label: 'Runs', icon: IconPlayerPlay, permission: 'sites.view' },
  { to: '/licenses', label: 'Licenses', icon: IconKey, permission: 'owner' },
  { to: '/services', label: 'Services', icon: IconPuzzle, permission: 'sites.view' },
  { to: '/audit', label: 'Audit log', icon: IconChecklist, permission: 'owner' },
  { to: '/users', label: 'Users', icon: IconUsers, permission: 'owner' },
  { to: '/account', label: 'Your account', icon: IconUserCircle, permission: 'account' },
];

export function usePages(): Entry[] {
  const { role } = useUser();
  const navigate = useNavigate();
  return PAGES.filter(({ permission }) => roleMay(role, permission)).map(({ to, label, icon }) => ({
    id: `page-${to}`,
    label,
    icon,
    go: () => void navigate({ to }),
  }));
}
