import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SoftwareKey } from '../lib/software-api.ts';
import styles from './software-link.module.css';

type Props = SoftwareKey & {
  className?: string | undefined;
  title?: string | undefined;
  children: ReactNode;
};

/** The name of a plugin, a theme or core. It opens the page with all its versions and sites. */
export function SoftwareLink({ type, slug, className, title, children }: Props) {
  return (
    <Link
      to="/software/item"
      // In the query string, because a slug such as `akismet/akismet.php` contains slashes and looks like a file.
      search={{ type, slug }}
      title={title}
      className={className ? `${styles.link} ${className}` : styles.link}
    >
      {children}
    </Link>
  );
}
