import { Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { sitesMessages } from '../../../messages/sites.ts';
import type { Preview } from '../api.ts';
import styles from './skipped-sites.module.css';

const messages = sitesMessages.update;

/** The sites that an update skips, with the reason. */
export function SkippedSites({ skipped }: { skipped: Preview['skipped'] }) {
  const [isOpen, setOpen] = useState(skipped.count <= 3);
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  const hidden = skipped.count - skipped.sites.length;
  return (
    <div>
      <UnstyledButton
        className={styles.switch}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Chevron size={15} aria-hidden />
        {messages.skipped(skipped.count)}
      </UnstyledButton>
      {isOpen && (
        <ul className={styles.list}>
          {skipped.sites.map(({ id, name, status }) => (
            <li key={id}>
              <span className={styles.name}>{name}</span>
              <Text span c="dimmed" size="sm">
                {messages.skipReasons[status]}
              </Text>
            </li>
          ))}
          {hidden > 0 && <li>{messages.moreSkipped(hidden)}</li>}
        </ul>
      )}
    </div>
  );
}
