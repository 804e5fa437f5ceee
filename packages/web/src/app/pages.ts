import { type Permission, roleMay } from '@steward/contract';
import {
  IconBell,
  IconBuilding,
  IconCalendarTime,
  IconChecklist,
  IconCirclesRelation,
  IconDatabaseExport,
  IconHandStop,
  IconKey,
  IconLayoutDashboard,
  IconPackages,
  IconPlayerPlay,
  IconPuzzle,
  IconUsers,
  IconWorld,
  type TablerIcon,
} from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import { useUser } from '../lib/session.ts';
import { appMessages } from '../messages/app.ts';

export type Page = {
  to: LinkProps['to'];
  label: string;
  icon: TablerIcon;
  permission: Permission;
  /** The key after `g` that opens the page. */
  key?: string;
  /** The rail lists settings in a group below the other pages. */
  isSetting?: true;
};

const { pages: labels } = appMessages;

const PAGES: Page[] = [
  {
    to: '/',
    label: labels.overview,
    icon: IconLayoutDashboard,
    permission: 'sites.view',
    key: 'o',
  },
  { to: '/sites', label: labels.sites, icon: IconWorld, permission: 'sites.view', key: 's' },
  { to: '/clients', label: labels.clients, icon: IconBuilding, permission: 'sites.view', key: 'c' },
  {
    to: '/software',
    label: labels.software,
    icon: IconPackages,
    permission: 'sites.view',
    key: 'w',
  },
  { to: '/runs', label: labels.runs, icon: IconPlayerPlay, permission: 'sites.view', key: 'r' },
  {
    to: '/rollouts',
    label: labels.rollouts,
    icon: IconCirclesRelation,
    permission: 'sites.view',
    key: 'p',
  },
  { to: '/licenses', label: labels.licenses, icon: IconKey, permission: 'owner', key: 'l' },
  { to: '/audit', label: labels.audit, icon: IconChecklist, permission: 'owner', key: 'a' },
  { to: '/users', label: labels.users, icon: IconUsers, permission: 'owner', key: 'u' },
  { to: '/rules', label: labels.rules, icon: IconHandStop, permission: 'owner', isSetting: true },
  {
    to: '/schedules',
    label: labels.schedules,
    icon: IconCalendarTime,
    permission: 'sites.act',
    isSetting: true,
  },
  {
    to: '/notifications',
    label: labels.notifications,
    icon: IconBell,
    permission: 'sites.view',
    key: 'n',
    isSetting: true,
  },
  {
    to: '/services',
    label: labels.services,
    icon: IconPuzzle,
    permission: 'owner',
    isSetting: true,
  },
  {
    to: '/backups',
    label: labels.backups,
    icon: IconDatabaseExport,
    permission: 'owner',
    isSetting: true,
  },
];

/** The pages that the role of the user may open, in the order of the rail. */
export function usePages(): Page[] {
  const { role } = useUser();
  return PAGES.filter(({ permission }) => roleMay(role, permission));
}
