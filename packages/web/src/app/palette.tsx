import '@mantine/spotlight/styles.css';
import { Spotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { appMessages } from '../messages/app.ts';
import { commonMessages } from '../messages/common.ts';
import { type Entry, type EntryGroup, toSpotlightAction } from './palette/entry.tsx';
import { matchesWords } from './palette/matches-words.ts';
import { selectFirst } from './palette/selection.ts';
import { useActions } from './palette/use-actions.ts';
import { useEnterKey } from './palette/use-enter-key.ts';
import { usePageEntries } from './palette/use-page-entries.ts';
import { useSearchResults } from './palette/use-search-results.ts';
import { useSettingEntries } from './palette/use-setting-entries.ts';
import { paletteStore } from './palette-store.ts';

const messages = appMessages.palette;

/** No search result appears above their entries. */
const FINAL_GROUPS: string[] = [messages.groups.pages, messages.groups.settings];

/** A search dialog (Ctrl or ⌘ and K) that opens pages, sites, clients, software, tags, licenses, users and runs, and starts actions. */
export default function Palette({ onShowShortcuts }: { onShowShortcuts: () => void }) {
  const [text, setText] = useState('');
  const { groups, isSearching } = useGroups(text.trim(), onShowShortcuts);
  const onKeyDown = useEnterKey({
    text,
    entryIds: groups.flatMap(({ entries }) => entries.map(({ id }) => id)).join(' '),
    isSearching,
    isFirstFinal: FINAL_GROUPS.includes(groups[0]?.name ?? ''),
  });
  return (
    <Spotlight
      store={paletteStore}
      actions={groups.map(({ name, entries }) => ({
        group: name,
        actions: entries.map(toSpotlightAction),
      }))}
      query={text}
      onQueryChange={setText}
      // `useGroups` and the panel have already filtered the entries.
      filter={(_query, actions) => actions}
      // `Frame` handles the shortcut, so that it works before the code of the palette is loaded.
      shortcut={null}
      nothingFound={isSearching ? messages.searching : commonMessages.noResults}
      scrollable
      attributes={{ content: { 'aria-label': appMessages.navigation.searchEverything } }}
      centered={false}
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      transitionProps={{ duration: 100, onEntered: selectFirst }}
      searchProps={{
        leftSection: <IconSearch size={17} aria-hidden />,
        placeholder: messages.label,
        'aria-label': messages.label,
        onKeyDown,
      }}
    />
  );
}

/** Pages and settings come first: they are known immediately, so results that arrive later do not move them. */
function useGroups(
  text: string,
  onShowShortcuts: () => void,
): { groups: EntryGroup[]; isSearching: boolean } {
  const query = text.toLowerCase();
  const matches = ({ label, keywords = '' }: Entry) =>
    label.toLowerCase().includes(query) || (query !== '' && matchesWords(query, keywords));
  const { isSearching, ...results } = useSearchResults(text);
  const groups = [
    { name: messages.groups.pages, entries: usePageEntries().filter(matches) },
    { name: messages.groups.settings, entries: useSettingEntries(text) },
    { name: messages.groups.sites, entries: results.sites },
    { name: messages.groups.clients, entries: results.clients },
    { name: messages.groups.software, entries: results.software },
    { name: messages.groups.tags, entries: results.tags },
    { name: messages.groups.licenses, entries: results.licenses },
    { name: messages.groups.users, entries: results.users },
    { name: messages.groups.runs, entries: results.runs },
    { name: messages.groups.actions, entries: useActions(onShowShortcuts).filter(matches) },
  ];
  return { groups: groups.filter(({ entries }) => entries.length > 0), isSearching };
}
