import '@mantine/spotlight/styles.css';
import { Spotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { type EntryGroup, spotlightAction } from './palette/entry.tsx';
import { markFirst } from './palette/first-result.ts';
import { useActions } from './palette/use-actions.ts';
import { useEnter } from './palette/use-enter.ts';
import { useFound } from './palette/use-found.ts';
import { usePageEntries } from './palette/use-page-entries.ts';
import { paletteStore } from './palette-switch.ts';

const LABEL = 'Go to a site, a license, a run or a page';

/** Jumps to a page, a site, a license or a run, or starts something. Opened with Ctrl or ⌘ and K. */
export default function Palette() {
  const [text, setText] = useState('');
  const { groups, isSearching } = useGroups(text.trim());
  const onKeyDown = useEnter({
    text,
    listed: groups.flatMap(({ entries }) => entries.map(({ id }) => id)).join(' '),
    isSearching,
    isFirstSure: groups[0]?.name === 'Pages',
  });
  return (
    <Spotlight
      store={paletteStore}
      actions={groups.map(({ name, entries }) => ({
        group: name,
        actions: entries.map(spotlightAction),
      }))}
      query={text}
      onQueryChange={setText}
      // The panel has searched already.
      filter={(_query, actions) => actions}
      // The frame listens: it is there before the palette is.
      shortcut={null}
      nothingFound={isSearching ? 'Searching' : 'Nothing has that name'}
      scrollable
      attributes={{ content: { 'aria-label': 'Search everything' } }}
      centered={false}
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      transitionProps={{ duration: 100, onEntered: markFirst }}
      searchProps={{
        leftSection: <IconSearch size={17} aria-hidden />,
        placeholder: LABEL,
        'aria-label': LABEL,
        onKeyDown,
      }}
    />
  );
}

/** Pages come first: they are there at once, and what arrives later does not push them away. */
function useGroups(text: string): { groups: EntryGroup[]; isSearching: boolean } {
  const words = text.toLowerCase();
  const matches = ({ label }: { label: string }) => label.toLowerCase().includes(words);
  const { sites, licenses, runs, isSearching } = useFound(text);
  const groups = [
    { name: 'Pages', entries: usePageEntries().filter(matches) },
    { name: 'Sites', entries: sites },
    { name: 'Licenses', entries: licenses },
    { name: 'Runs', entries: runs },
    { name: 'Actions', entries: useActions().filter(matches) },
  ];
  return { groups: groups.filter(({ entries }) => entries.length > 0), isSearching };
}
