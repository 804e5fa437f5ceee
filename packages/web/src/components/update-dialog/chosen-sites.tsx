import { Checkbox } from '@mantine/core';
import { updateMessages } from '../../messages/update.ts';
import { Disclosure } from './disclosure.tsx';

const messages = updateMessages.choose;

type Props = {
  siteIds: number[];
  /** The names of the first sites. The others cannot be left out here. */
  names: { id: number; name: string }[];
  excluded: ReadonlySet<number>;
  onChange: (excluded: Set<number>) => void;
};

/** The sites with a chosen update. The user can leave out single ones. */
export function ChosenSites({ siteIds, names, excluded, onChange }: Props) {
  const included = new Set(siteIds);
  const listed = names.filter(({ id }) => included.has(id));
  const unlisted = siteIds.length - listed.length;
  const count = siteIds.filter((id) => !excluded.has(id)).length;
  const toggle = (id: number, isIncluded: boolean) => {
    const others = [...excluded].filter((other) => other !== id);
    onChange(new Set(isIncluded ? others : [...others, id]));
  };
  return (
    <Disclosure label={messages.showSites(count)} isInitiallyOpen={false}>
      {listed.map(({ id, name }) => (
        <li key={id}>
          <Checkbox
            label={name}
            aria-label={messages.includeSite(name)}
            checked={!excluded.has(id)}
            onChange={({ currentTarget }) => toggle(id, currentTarget.checked)}
          />
        </li>
      ))}
      {unlisted > 0 && <li>{messages.moreSites(unlisted)}</li>}
    </Disclosure>
  );
}
