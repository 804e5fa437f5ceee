import { Checkbox } from '@mantine/core';
import type { OfferedItem } from '../../lib/update-preview-api.ts';
import { updateMessages } from '../../messages/update.ts';
import { HoldNote } from '../hold-note.tsx';
import { Version } from '../version.tsx';
import styles from './offered-items.module.css';

const messages = updateMessages.choose;
const TYPES = ['plugin', 'theme', 'core'] as const;

export const keyOf = ({ type, slug, version, hold }: OfferedItem) =>
  `${type} ${slug} ${version} ${hold?.explanation ?? ''}`;

type Props = {
  items: OfferedItem[];
  /** The keys of the updates that the user does not want. */
  leftOut: ReadonlySet<string>;
  onChange: (leftOut: Set<string>) => void;
};

/** The updates to choose from, by type. */
export function OfferedItems({ items, leftOut, onChange }: Props) {
  const setLeftOut = (keys: string[], isLeftOut: boolean) => {
    const others = [...leftOut].filter((key) => !keys.includes(key));
    onChange(new Set(isLeftOut ? [...others, ...keys] : others));
  };
  return (
    <div className={styles.groups}>
      {TYPES.map((type) => {
        const group = items.filter((item) => item.type === type);
        if (group.length === 0) return null;
        const keys = group.filter(({ hold }) => !hold).map(keyOf);
        const ticked = keys.filter((key) => !leftOut.has(key)).length;
        return (
          <fieldset key={type} className={styles.group}>
            <legend>
              {type === 'core' ? (
                messages.coreLegend
              ) : (
                <Checkbox
                  label={messages.groups[type]}
                  aria-label={messages.toggleGroup(messages.groups[type])}
                  checked={keys.length > 0 && ticked === keys.length}
                  disabled={keys.length === 0}
                  indeterminate={ticked > 0 && ticked < keys.length}
                  onChange={({ currentTarget }) => setLeftOut(keys, !currentTarget.checked)}
                />
              )}
            </legend>
            {group.map((item) => (
              <ItemRow
                key={keyOf(item)}
                item={item}
                isChosen={!item.hold && !leftOut.has(keyOf(item))}
                onToggle={(isChosen) => setLeftOut([keyOf(item)], !isChosen)}
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
    </div>
  );
}
