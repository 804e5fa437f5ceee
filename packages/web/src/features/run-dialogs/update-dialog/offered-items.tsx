import { Checkbox } from '@mantine/core';
import { HoldNote } from '../../../components/hold-note.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { Version } from '../../../components/version.tsx';
import { updateMessages } from '../../../messages/update.ts';
import styles from './offered-items.module.css';
import type { OfferedItem } from './update-preview-api.ts';

const messages = updateMessages.choose;
const TYPES = ['plugin', 'theme', 'core'] as const;

export const keyOf = ({ type, slug, version, hold }: OfferedItem) =>
  `${type} ${slug} ${version} ${hold?.explanation ?? ''}`;

type Props = {
  items: OfferedItem[];
  /** The keys of the updates that the user does not want. */
  excluded: ReadonlySet<string>;
  onChange: (excluded: Set<string>) => void;
};

/** The updates to choose from, by type. */
export function OfferedItems({ items, excluded, onChange }: Props) {
  const setExcluded = (keys: string[], isExcluded: boolean) => {
    const others = [...excluded].filter((key) => !keys.includes(key));
    onChange(new Set(isExcluded ? [...others, ...keys] : others));
  };
  return (
    <div className={styles.groups}>
      {TYPES.map((type) => {
        // Held items come last: the user cannot choose them.
        const group = items
          .filter((item) => item.type === type)
          .sort((a, b) => Number(a.hold !== undefined) - Number(b.hold !== undefined));
        if (group.length === 0) return null;
        const keys = group.filter(({ hold }) => !hold).map(keyOf);
        const chosenCount = keys.filter((key) => !excluded.has(key)).length;
        return (
          <fieldset key={type} className={styles.group}>
            <legend>
              {type === 'core' ? (
                messages.coreLegend
              ) : (
                <Checkbox
                  label={messages.groups[type]}
                  aria-label={messages.toggleGroup(messages.groups[type])}
                  checked={keys.length > 0 && chosenCount === keys.length}
                  disabled={keys.length === 0}
                  indeterminate={chosenCount > 0 && chosenCount < keys.length}
                  onChange={({ currentTarget }) => setExcluded(keys, !currentTarget.checked)}
                />
              )}
            </legend>
            {group.map((item) => (
              <ItemRow
                key={keyOf(item)}
                item={item}
                isChosen={!item.hold && !excluded.has(keyOf(item))}
                onToggle={(isChosen) => setExcluded([keyOf(item)], !isChosen)}
              />
            ))}
          </fieldset>
        );
      })}
    </div>
  );
}

type RowProps = { item: OfferedItem; isChosen: boolean; onToggle: (isChosen: boolean) => void };

function ItemRow({ item, isChosen, onToggle }: RowProps) {
  const { name, old_versions, version, site_ids } = item;
  return (
    <div className={styles.item}>
      <Checkbox
        label={name}
        checked={isChosen}
        disabled={item.hold !== undefined}
        description={item.hold && <HoldNote hold={item.hold} />}
        onChange={({ currentTarget }) => onToggle(currentTarget.checked)}
      />
      <Version from={messages.versions(old_versions)} to={version} />
      <span className={styles.sites}>{messages.sites(site_ids.length)}</span>
      {item.warning && (
        <div className={styles.warning}>
          <StatusLabel kind="warn" isSentence>
            {item.warning.message}
          </StatusLabel>
        </div>
      )}
    </div>
  );
}
