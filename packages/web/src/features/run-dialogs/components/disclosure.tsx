import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import styles from './disclosure.module.css';

type Props = { label: string; isInitiallyOpen: boolean; children: ReactNode };

/** A list that a button shows and hides. */
export function Disclosure({ label, isInitiallyOpen, children }: Props) {
  const [isOpen, setOpen] = useState(isInitiallyOpen);
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <UnstyledButton
        className={styles.switch}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Chevron size={15} aria-hidden />
        {label}
      </UnstyledButton>
      {isOpen && <ul className={styles.list}>{children}</ul>}
    </div>
  );
}
