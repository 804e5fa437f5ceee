import type { Permission } from '@steward/contract';
import type { LinkProps } from '@tanstack/react-router';

type Place = {
  to: LinkProps['to'];
  permission: Permission;
  /** False: a setting without a section of its own. */
  isSection?: false;
};

/** The settings that the palette finds. A key is the id of the section on its page, which `PageSection` shows. */
export const PAGE_SECTIONS = {
  profile: { to: '/account', permission: 'account' },
  password: { to: '/account', permission: 'account' },
  'second-factor': { to: '/account', permission: 'account' },
  sessions: { to: '/account', permission: 'account' },
  'access-tokens': { to: '/account', permission: 'account' },
  'e-mails': { to: '/notifications', permission: 'sites.view' },
  'mail-server': { to: '/notifications', permission: 'owner' },
  channels: { to: '/notifications', permission: 'owner' },
  deliveries: { to: '/notifications', permission: 'owner' },
  quarantine: { to: '/rules', permission: 'owner' },
  plans: { to: '/services', permission: 'owner' },
  'require-second-factor': { to: '/users', permission: 'owner' },
  'time-zone': { to: '/schedules', permission: 'sites.act', isSection: false },
  backups: { to: '/backups', permission: 'owner', isSection: false },
} as const satisfies Record<string, Place>;

export type SettingId = keyof typeof PAGE_SECTIONS;
export const SETTINGS = Object.entries(PAGE_SECTIONS) as [SettingId, Place][];
