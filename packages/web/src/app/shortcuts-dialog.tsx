import { Title } from '@mantine/core';
import { useId } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { useHasPermission } from '../lib/session.ts';
import { appMessages } from '../messages/app.ts';
import { isMac } from './is-mac.ts';
import { usePages } from './pages.ts';
import styles from './shortcuts-dialog.module.css';

const messages = appMessages.shortcuts;

/** The keyboard shortcuts that the user can use. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const pages = usePages().flatMap(({ key, label }) => (key ? [{ key, label }] : []));
  const mayAct = useHasPermission('sites.act');
  return (
    <Dialog title={messages.title} onClose={onClose} size="md">
      <Group
        title={messages.everywhere}
        shortcuts={[
          [[appMessages.navigation.paletteKeys(isMac())], appMessages.navigation.searchEverything],
          [['?'], messages.showHelp],
        ]}
      />
      <Group title={messages.goTo} shortcuts={pages.map(({ key, label }) => [['g', key], label])} />
      <Group
        title={messages.siteList}
        shortcuts={[...messages.siteListKeys, ...(mayAct ? messages.siteSelectionKeys : [])]}
      />
    </Dialog>
  );
}

type Shortcut = readonly [keys: readonly string[], effect: string];

function Group({ title, shortcuts }: { title: string; shortcuts: readonly Shortcut[] }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.group}>
      <Title order={3} id={id} className={styles.title}>
        {title}
      </Title>
      <dl className={styles.list}>
        {shortcuts.map(([keys, effect]) => (
          <div key={effect} className={styles.line}>
            <dt>{effect}</dt>
            <dd className={styles.keys}>
              {keys.map((key) => (
                <kbd key={key} className={styles.key}>
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
