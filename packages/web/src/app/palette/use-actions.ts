import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { type Permission, roleMay } from '@steward/contract';
import {
  IconDownload,
  IconLogout,
  IconMoon,
  IconPlus,
  IconSun,
  IconUserPlus,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useSignOut } from '../../features/account/use-sign-out.ts';
import { useUser } from '../../lib/session.ts';
import type { Entry } from './entry.tsx';

/** What can be begun from anywhere. What changes many sites only leads to where it is asked for. */
export function useActions(): Entry[] {
  const { role } = useUser();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const other = scheme === 'dark' ? 'light' : 'dark';

  const actions: (Entry & { permission: Permission })[] = [
    {
      id: 'update-all',
      label: 'Show all sites to update',
      icon: IconDownload,
      permission: 'sites.act',
      go: () => void navigate({ to: '/sites', search: { pending: 'updatable' } }),
    },
    {
      id: 'new-license',
      label: 'Create a license',
      icon: IconPlus,
      permission: 'owner',
      go: () => void navigate({ to: '/licenses', search: { new: '1' } }),
    },
    {
      id: 'invite',
      label: 'Invite a user',
      icon: IconUserPlus,
      permission: 'owner',
      go: () => void navigate({ to: '/users', search: { new: '1' } }),
    },
    {
      id: 'scheme',
      label: `Switch to ${other} colours`,
      icon: other === 'dark' ? IconMoon : IconSun,
      permission: 'account',
      go: () => setColorScheme(other),
    },
    {
      id: 'sign-out',
      label: 'Sign out',
      icon: IconLogout,
      permission: 'account',
      go: () => void signOut(),
    },
  ];
  return actions.filter(({ permission }) => roleMay(role, permission));
}
