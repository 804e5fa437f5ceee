import { Tooltip, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { Permission } from '@steward/contract';
import { roleMay } from '@steward/contract';
import {
  IconChecklist,
  IconKey,
  IconLayoutDashboard,
  IconPlayerPlay,
  IconPuzzle,
  IconSearch,
  IconUserCircle,
  IconUsers,
  IconWorld,
  type TablerIcon,
} from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { RunBadge } from '../features/runs/components/run-badge.tsx';
import { useUser } from '../lib/session.ts';
import { openPalette } from './palette-switch.ts';
import styles from './rail.module.css';
import { SchemeButton } from './scheme-button.tsx';

type Entry = { to: LinkProps['to']; label: string; icon: TablerIcon; permission: Permission };

const ENTRIES: Entry[] = [
  { to: '/', label: 'Overview', icon: IconLayoutDashboard, permission: 'sites.view' },
  { to: '/sites', label: 'Sites', icon: IconWorld, permission: 'sites.view' },
  { to: '/runs', label: 'Runs', icon: IconPlayerPlay, permission: 'sites.view' },
  { to: '/licenses', label: 'Licenses', icon: IconKey, permission: 'owner' },
  { to: '/services', label: 'Services', icon: IconPuzzle, permission: 'sites.view' },
  { to: '/audit', label: 'Audit log', icon: IconChecklist, permission: 'owner' },
  { to: '/users', label: 'Users', icon: IconUsers, permission: 'owner' },
];

/** Where one can go, in the order of use. Under 1,100 px only the icons are left. */
export function Rail({ isWide = false }: { isWide?: boolean }) {
  const user = useUser();
  const isSlim =
    useMediaQuery('(max-width: 1099px)', false, { getInitialValueInEffect: false }) && !isWide;
  return (
    <nav className={styles.rail} aria-label="Main" data-slim={isSlim || undefined}>
      {!isWide && <div className={styles.brand}>{isSlim ? 'S' : 'Steward'}</div>}
      <RailTip label="Search everything" isSlim={isSlim}>
        <UnstyledButton
          className={styles.entry}
          onClick={openPalette}
          aria-label={isSlim ? 'Search everything' : undefined}
        >
          <IconSearch size={17} aria-hidden />
          <span className={styles.word}>Search</span>
          <kbd className={styles.keys}>{isMac() ? '⌘' : 'Ctrl'} K</kbd>
        </UnstyledButton>
      </RailTip>
      {ENTRIES.filter(({ permission }) => roleMay(user.role, permission)).map((entry) => (
        <div key={entry.label} className={styles.line}>
          <RailTip label={entry.label} isSlim={isSlim}>
            <Link
              to={entry.to}
              className={styles.entry}
              activeOptions={{ exact: entry.to === '/', includeSearch: false }}
              aria-label={entry.label}
            >
              <entry.icon size={17} aria-hidden />
              <span className={styles.word}>{entry.label}</span>
            </Link>
          </RailTip>
          {entry.to === '/runs' && <RunBadge isSlim={isSlim} />}
        </div>
      ))}
      <div className={styles.bottom}>
        <RailTip label={user.name} isSlim={isSlim}>
          <Link to="/account" className={styles.entry} aria-label={`Account of ${user.name}`}>
            <IconUserCircle size={17} aria-hidden />
            <span className={`${styles.word} cut`}>{user.name}</span>
          </Link>
        </RailTip>
        <SchemeButton />
      </div>
    </nav>
  );
}

function RailTip(props: { label: string; isSlim: boolean; children: ReactNode }) {
  return (
    <Tooltip label={props.label} position="right" disabled={!props.isSlim}>
      {props.children}
    </Tooltip>
  );
}

const isMac = () => navigator.userAgent.includes('Mac');
