import styles from './name-text.module.css';
import { splitName } from './split-name.ts';

/**
 * A name on one line, cut in the middle if it is too long: the ends of host names tell sites apart. The whole name is the
 * text of the element, invisible above the two parts, so that screen readers, the search of the browser and copying have it.
 */
export function NameText({ children: name }: { children: string }) {
  const { start, end } = splitName(name);
  return (
    <span className={styles.name} title={name} data-start={start} data-end={end}>
      <span className={styles.whole}>{name}</span>
    </span>
  );
}
