import { type Permission, roleMay } from '@steward/contract';
import {
  IconChecklist,
  IconKey,
  IconLayoutDashboard,
  IconPlayerPlay,
  IconPuzzle,
  IconUsers,
  IconWorld,
  type TablerIcon,
} from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import { useUser } from '../lib/session.ts';

type Page = { to: LinkProps['to']; label: string; icon: TablerIcon; permission: Permission };

const PAGES: Page[] = [
  { to: '/', label: 'Overview', icon: IconLayoutDashboard, permission: 'sites.view' },
  { to: '/sites', label: 'Sites', icon: IconWorld, permission: 'sites.view' },
  { to: '/runs', label: 'Runs', icon: IconPlayerPlay, permission: 'sites.view' },
  { to: '/licenses', label: 'Licenses', icon: IconKey, permission: 'owner' },
  { to: '/services', label: 'Services', icon: IconPuzzle, permission: 'sites.view' },
  { to: '/audit', label: 'Audit log', icon: IconChecklist, permission: 'owner' },
  { to: '/users', label: 'Users', icon: IconUsers, permission: 'owner' },
];

/** Where the reader can go, in the order of use. */
export function usePages(): Page[] {
  const { role } = useUser();
  return PAGES.filter(({ permission }) => roleMay(role, permission));
}
