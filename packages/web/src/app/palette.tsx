import '@mantine/spotlight/styles.css';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { type LicensesResponse, roleMay, type SitesResponse } from '@steward/contract';
import {
  IconChecklist,
  IconKey,
  IconLayoutDashboard,
  IconPlayerPlay,
  IconPlus,
  IconPuzzle,
  IconSearch,
  IconUserCircle,
  IconUsers,
  IconWorld,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Static } from 'typebox';
import { api } from '../lib/api.ts';
import { paletteStore } from './palette-switch.ts';
import { useUser } from './session.ts';

const FOUND_AT_MOST = 6;

/** Jumps to a page, a site, a license or a run, or starts something. Opened with Ctrl or ⌘ and K. */
export default function Palette() {
  const [text, setText] = useState('');
  const [sought] = useDebouncedValue(text.trim(), 120);
  const { role } = useUser();
  const isOwner = roleMay(role, 'owner');
  const navigate = useNavigate();
  const sites = useQuery({
    queryKey: ['palette', 'sites', sought],
    enabled: sought.length > 1,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      api<Static<typeof SitesResponse>>('/panel/sites', {
        query: { search: sought, limit: FOUND_AT_MOST },
        signal,
      }),
  });
  const licenses = useQuery({
    queryKey: ['palette', 'licenses', sought],
    enabled: sought.length > 1 && isOwner,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      api<Static<typeof LicensesResponse>>('/panel/licenses', {
        query: { search: sought, limit: FOUND_AT_MOST },
        signal,
      }),
  });

  const pages: SpotlightActionData[] = [
    {
      id: 'overview',
      label: 'Overview',
      leftSection: icon(IconLayoutDashboard),
      onClick: () => navigate({ to: '/' }),
    },
    {
      id: 'sites',
      label: 'Sites',
      leftSection: icon(IconWorld),
      onClick: () => navigate({ to: '/sites' }),
    },
    {
      id: 'updates',
      label: 'Sites with pending updates',
      leftSection: icon(IconWorld),
      onClick: () => navigate({ to: '/sites', search: { pending: 'any' } }),
    },
    {
      id: 'runs',
      label: 'Runs',
      leftSection: icon(IconPlayerPlay),
      onClick: () => navigate({ to: '/runs' }),
    },
    {
      id: 'services',
      label: 'Services',
      leftSection: icon(IconPuzzle),
      onClick: () => navigate({ to: '/services' }),
    },
    {
      id: 'account',
      label: 'Your account',
      leftSection: icon(IconUserCircle),
      onClick: () => navigate({ to: '/account' }),
    },
  ];
  const forOwners: SpotlightActionData[] = [
    {
      id: 'new-license',
      label: 'Create a license',
      leftSection: icon(IconPlus),
      onClick: () => navigate({ to: '/licenses', search: { new: '1' } }),
    },
    {
      id: 'licenses',
      label: 'Licenses',
      leftSection: icon(IconKey),
      onClick: () => navigate({ to: '/licenses' }),
    },
    {
      id: 'audit',
      label: 'Audit log',
      leftSection: icon(IconChecklist),
      onClick: () => navigate({ to: '/audit' }),
    },
    {
      id: 'users',
      label: 'Users',
      leftSection: icon(IconUsers),
      onClick: () => navigate({ to: '/users' }),
    },
  ];
  const runNumber = /^#?(\d{1,9})$/.exec(sought)?.[1];
  const found: SpotlightActionData[] =
    sought.length < 2
      ? []
      : [
          ...(sites.data?.sites ?? []).map((site) => ({
            id: `site-${site.id}`,
            label: site.name,
            description: 'Site',
            leftSection: icon(IconWorld),
            onClick: () => navigate({ to: '/sites/$siteId', params: { siteId: String(site.id) } }),
          })),
          ...(isOwner ? (licenses.data?.licenses ?? []) : []).map((license) => ({
            id: `license-${license.id}`,
            label: `…${license.key_last_six}`,
            description: `License, ${license.plan.name}`,
            keywords: [license.plan.name],
            leftSection: icon(IconKey),
            onClick: () =>
              navigate({ to: '/licenses/$licenseId', params: { licenseId: String(license.id) } }),
          })),
        ];
  const run: SpotlightActionData[] = runNumber
    ? [
        {
          id: 'run',
          label: `Run ${runNumber}`,
          leftSection: icon(IconPlayerPlay),
          onClick: () => navigate({ to: '/runs/$runId', params: { runId: runNumber } }),
        },
      ]
    : [];
  const words = text.trim().toLowerCase();
  const matching = [...pages, ...(isOwner ? forOwners : [])].filter(({ label }) =>
    label?.toLowerCase().includes(words),
  );

  return (
    <Spotlight
      store={paletteStore}
      actions={[...run, ...found, ...matching]}
      query={text}
      onQueryChange={setText}
      // The panel has searched already.
      filter={(_query, actions) => actions}
      // The frame listens: it is there before the palette is.
      shortcut={null}
      nothingFound="Nothing has that name"
      scrollable
      transitionProps={{ duration: 100 }}
      searchProps={{
        leftSection: <IconSearch size={17} aria-hidden />,
        placeholder: 'Go to a site, a license, a run or a page',
        'aria-label': 'Go to a site, a license, a run or a page',
      }}
    />
  );
}

const icon = (Icon: typeof IconWorld) => <Icon size={17} aria-hidden />;
