import { ActionIcon, Drawer } from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks';
import { IconMenu2, IconSearch } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { sessionQuery, UserContext } from '../lib/session.ts';
import { openPalette } from './palette-switch.ts';
import { Rail } from './rail.tsx';
import styles from './shell.module.css';

// Only opened by some, now and then.
const Palette = lazy(() => import('./palette.tsx'));

/** What is around every page. Whoever signs out, here or elsewhere, sees nothing from then on. */
export function Shell() {
  const { data: user } = useSuspenseQuery(sessionQuery);
  return user ? (
    <UserContext value={user}>
      <Frame />
    </UserContext>
  ) : null;
}

/** The rail at the left, or behind a button on a narrow screen. */
function Frame() {
  useHotkeys([['mod+K', openPalette]], []);
  const [isOpen, drawer] = useDisclosure(false);
  const isNarrow = useMediaQuery('(max-width: 699px)', false, { getInitialValueInEffect: false });
  const path = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes when the page changes.
  useEffect(() => drawer.close(), [path]);

  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#page">
        Skip to the page
      </a>
      {isNarrow ? (
        <div className={styles.bar}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label="Open the menu"
            onClick={drawer.open}
          >
            <IconMenu2 size={20} />
          </ActionIcon>
          <span className={styles.name}>Steward</span>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label="Search everything"
            onClick={openPalette}
          >
            <IconSearch size={18} />
          </ActionIcon>
        </div>
      ) : (
        <aside className={styles.rail}>
          <Rail />
        </aside>
      )}
      {isNarrow && (
        <Drawer
          opened={isOpen}
          onClose={drawer.close}
          size={260}
          title="Steward"
          transitionProps={{ duration: 120 }}
          closeButtonProps={{ 'aria-label': 'Close the menu' }}
        >
          <Rail isWide />
        </Drawer>
      )}
      <main id="page" className={styles.page} tabIndex={-1}>
        <Outlet />
      </main>
      <Suspense fallback={null}>
        <Palette />
      </Suspense>
    </div>
  );
}
