import { ActionIcon } from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks';
import { IconMenu2, IconSearch } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { Mark } from '../components/mark.tsx';
import { sessionQuery, UserContext } from '../lib/session.ts';
import { useLiveRunLists } from '../lib/use-live-run-lists.ts';
import { appMessages } from '../messages/app.ts';
import { commonMessages } from '../messages/common.ts';
import { openPalette, useIsPaletteUsed } from './palette-store.ts';
import { Rail } from './rail.tsx';
import styles from './shell.module.css';
import { useShortcuts } from './use-shortcuts.ts';

// Lazy-loaded, because pages can render without them.
const NavigationDrawer = lazy(() => import('./navigation-drawer.tsx'));
const Palette = lazy(() => import('./palette.tsx'));
const ShortcutsDialog = lazy(() => import('./shortcuts-dialog.tsx'));

const messages = appMessages.frame;

/** The frame around every signed-in page. Renders nothing after the session has ended. */
export function Shell() {
  const { data: user } = useSuspenseQuery(sessionQuery);
  return user ? (
    <UserContext value={user}>
      <Frame />
    </UserContext>
  ) : null;
}

/** Shows the rail on the left, or in a drawer on narrow screens. */
function Frame() {
  useLiveRunLists();
  useHotkeys([['mod+K', openPalette]], []);
  const [isHelpOpen, help] = useDisclosure(false);
  useShortcuts(help.open);
  const isPaletteUsed = useIsPaletteUsed();
  const [isOpen, drawer] = useDisclosure(false);
  const isNarrow = useMediaQuery('(max-width: 699px)', false, { getInitialValueInEffect: false });
  const path = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when the page changes.
  useEffect(() => drawer.close(), [path]);

  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#page">
        {messages.skipToContent}
      </a>
      {isNarrow ? (
        <div className={styles.bar}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={messages.openMenu}
            onClick={drawer.open}
          >
            <IconMenu2 size={20} />
          </ActionIcon>
          <span className={styles.name}>
            <Mark /> {commonMessages.productName}
          </span>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={appMessages.navigation.searchEverything}
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
      <main id="page" className={styles.page} tabIndex={-1}>
        <Outlet />
      </main>
      <Suspense fallback={null}>
        {isNarrow && <NavigationDrawer isOpen={isOpen} onClose={drawer.close} />}
        {isPaletteUsed && <Palette onShowShortcuts={help.open} />}
        {isHelpOpen && <ShortcutsDialog onClose={help.close} />}
      </Suspense>
    </div>
  );
}
