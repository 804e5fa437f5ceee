import { Checkbox } from '@mantine/core';
import { packagesMessages } from '../../../messages/packages.ts';
import { Disclosure } from './disclosure.tsx';

type Props = {
  siteIds: number[];
  /** The names of the first sites. Only these sites can be excluded here. */
  names: { id: number; name: string }[];
  excluded: ReadonlySet<number>;
  messages: { showSites: (sites: number) => string; includeSite: (site: string) => string };
  onChange: (excluded: Set<number>) => void;
};

/** The sites of the run. The user can exclude single sites. */
export function ChosenSites({ siteIds, names, excluded, messages, onChange }: Props) {
  const available = new Set(siteIds);
  const listed = names.filter(({ id }) => available.has(id));
  const unlisted = siteIds.length - listed.length;
  const chosenCount = siteIds.filter((id) => !excluded.has(id)).length;
  const toggle = (id: number, isIncluded: boolean) => {
    const others = [...excluded].filter((other) => other !== id);
    onChange(new Set(isIncluded ? others : [...others, id]));
  };
  return (
    <Disclosure label={messages.showSites(chosenCount)} isInitiallyOpen={false}>
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
      {unlisted > 0 && <li>{packagesMessages.moreSites(unlisted)}</li>}
    </Disclosure>
  );
}
