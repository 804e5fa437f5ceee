import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { type Permission, roleMay } from '@steward/contract';
import {
  IconApi,
  IconDownload,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconPlugConnected,
  IconPlus,
  IconSun,
  IconUserPlus,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useSignOut } from '../../features/account/use-sign-out.ts';
import { useUser } from '../../lib/session.ts';
import { appMessages } from '../../messages/app.ts';
import type { Entry } from './entry.tsx';

const messages = appMessages.palette;

/** Actions that work on every page. None of them changes a site: updates start in the site list. */
export function useActions(onShowShortcuts: () => void): Entry[] {
  const { role } = useUser();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const otherScheme = scheme === 'dark' ? 'light' : 'dark';

  const actions: (Entry & { permission: Permission })[] = [
    {
      id: 'updatable-sites',
      label: messages.showUpdatableSites,
      icon: IconDownload,
      permission: 'sites.act',
      onSelect: () => void navigate({ to: '/sites', search: { pending: 'updatable' } }),
    },
    {
      id: 'connect',
      label: messages.connectSites,
      keywords: messages.keywords.connect,
      icon: IconPlugConnected,
      permission: 'owner',
      onSelect: () => void navigate({ to: '/connect' }),
    },
    {
      id: 'new-license',
      label: messages.createLicense,
      keywords: messages.keywords.license,
      icon: IconPlus,
      permission: 'owner',
      onSelect: () => void navigate({ to: '/licenses', search: { new: '1' } }),
    },
    {
      id: 'new-client',
      label: messages.createClient,
      icon: IconPlus,
      permission: 'owner',
      onSelect: () => void navigate({ to: '/clients', search: { new: '1' } }),
    },
    {
      id: 'invite',
      label: messages.inviteUser,
      keywords: messages.keywords.invite,
      icon: IconUserPlus,
      permission: 'owner',
      onSelect: () => void navigate({ to: '/users', search: { new: '1' } }),
    },
    {
      id: 'scheme',
      label: appMessages.switchColorScheme[otherScheme],
      icon: otherScheme === 'dark' ? IconMoon : IconSun,
      permission: 'account',
      onSelect: () => setColorScheme(otherScheme),
    },
    {
      id: 'api',
      label: messages.openApi,
      keywords: messages.keywords.api,
      icon: IconApi,
      permission: 'account',
      onSelect: () => void navigate({ to: '/docs' }),
    },
    {
      id: 'shortcuts',
      label: messages.showShortcuts,
      icon: IconKeyboard,
      permission: 'account',
      onSelect: onShowShortcuts,
    },
    {
      id: 'sign-out',
      label: messages.signOut,
      icon: IconLogout,
      permission: 'account',
      onSelect: () => void signOut(),
    },
  ];
  return actions.filter(({ permission }) => roleMay(role, permission));
}
