import { Tooltip, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconSearch, IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { RunBadge } from '../features/runs/components/run-badge.tsx';
import { useUser } from '../lib/session.ts';
import { usePages } from './pages.ts';
import { openPalette } from './palette-switch.ts';
import styles from './rail.module.css';
import { SchemeButton } from './scheme-button.tsx';

/** The way to every page. Under 1,100 px only the icons are left. */
export function Rail({ isWide = false }: { isWide?: boolean }) {
  const user = useUser();
  const pages = usePages();
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
      {pages.map((page) => (
        <div key={page.label} className={styles.line}>
          <RailTip label={page.label} isSlim={isSlim}>
            <Link
              to={page.to}
              className={styles.entry}
              activeOptions={{ exact: page.to === '/', includeSearch: false }}
              aria-label={page.label}
            >
              <page.icon size={17} aria-hidden />
              <span className={styles.word}>{page.label}</span>
            </Link>
          </RailTip>
          {page.to === '/runs' && <RunBadge isSlim={isSlim} />}
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
