import { Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { count, formatNumber } from '../../../lib/format.ts';
import type { Preview } from '../api.ts';
import styles from './skipped-sites.module.css';

const REASONS = {
  deactivated: 'released from its license',
  license_invalid: 'its license is not valid',
  remote_off: 'remote management is off; switch it on there, then sync the site',
};

/** The sites an update leaves out, with the reason. */
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
        {count(skipped.count, 'site is', 'sites are')} left out
      </UnstyledButton>
      {isOpen && (
        <ul className={styles.list}>
          {skipped.sites.map(({ id, name, status }) => (
            <li key={id}>
              <span className={styles.name}>{name}</span>
              <Text span c="dimmed" size="sm">
                {REASONS[status]}
              </Text>
            </li>
          ))}
          {hidden > 0 && <li>and {formatNumber(hidden)} more</li>}
        </ul>
      )}
    </div>
  );
}
