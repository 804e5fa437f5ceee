import { Tooltip, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconSearch, IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Mark } from '../components/mark.tsx';
import { RunBadge } from '../features/runs/components/run-badge.tsx';
import { useUser } from '../lib/session.ts';
import { appMessages } from '../messages/app.ts';
import { commonMessages } from '../messages/common.ts';
import { isMac } from './is-mac.ts';
import { type Page, usePages } from './pages.ts';
import { openPalette } from './palette-store.ts';
import styles from './rail.module.css';
import { SchemeButton } from './scheme-button.tsx';

const messages = appMessages.navigation;

type Props = {
  /** In the drawer of narrow screens: shows the labels, but not the product name, which is the title of the drawer. */
  isInDrawer?: boolean;
};

/** The main navigation. Below 1,100 px it shows icons only. */
export function Rail({ isInDrawer = false }: Props) {
  const user = useUser();
  const pages = usePages();
  const main = pages.filter(({ isSetting }) => !isSetting);
  const settings = pages.filter(({ isSetting }) => isSetting);
  const isSlim =
    useMediaQuery('(max-width: 1099px)', false, { getInitialValueInEffect: false }) && !isInDrawer;
  return (
    <nav className={styles.rail} aria-label={messages.label} data-slim={isSlim || undefined}>
      {!isInDrawer && (
        <div className={styles.brand}>
          <Mark />
          {!isSlim && commonMessages.productName}
        </div>
      )}
      <RailTooltip label={messages.searchEverything} isSlim={isSlim}>
        <UnstyledButton
          className={styles.entry}
          onClick={openPalette}
          aria-label={isSlim ? messages.searchEverything : undefined}
        >
          <IconSearch size={17} aria-hidden />
          <span className={styles.word}>{commonMessages.search}</span>
          <kbd className={styles.keys}>{messages.paletteKeys(isMac())}</kbd>
        </UnstyledButton>
      </RailTooltip>
      <div className={styles.pages}>
        {main.map((page) => (
          <RailEntry key={page.label} page={page} isSlim={isSlim} />
        ))}
        {settings.length > 0 && (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form.
          <div role="group" aria-label={messages.settings} className={styles.settings}>
            {!isSlim && (
              <div className={styles.heading} aria-hidden>
                {messages.settings}
              </div>
            )}
            {settings.map((page) => (
              <RailEntry key={page.label} page={page} isSlim={isSlim} />
            ))}
          </div>
        )}
      </div>
      <div className={styles.bottom}>
        <RailTooltip label={user.name} isSlim={isSlim}>
          <Link to="/account" className={styles.entry} aria-label={messages.accountOf(user.name)}>
            <IconUserCircle size={17} aria-hidden />
            <span className={`${styles.word} truncate`}>{user.name}</span>
          </Link>
        </RailTooltip>
        <SchemeButton />
      </div>
    </nav>
  );
}

function RailEntry({ page, isSlim }: { page: Page; isSlim: boolean }) {
  return (
    <div className={styles.line}>
      <RailTooltip label={page.label} isSlim={isSlim}>
        <Link
          to={page.to}
          className={styles.entry}
          activeOptions={{ exact: page.to === '/', includeSearch: false }}
          aria-label={page.label}
        >
          <page.icon size={17} aria-hidden />
          <span className={styles.word}>{page.label}</span>
        </Link>
      </RailTooltip>
      {page.to === '/runs' && <RunBadge isSlim={isSlim} />}
    </div>
  );
}

function RailTooltip(props: { label: string; isSlim: boolean; children: ReactNode }) {
  return (
    <Tooltip label={props.label} position="right" disabled={!props.isSlim}>
      {props.children}
    </Tooltip>
  );
}
