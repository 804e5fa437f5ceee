import type { SpotlightActionData } from '@mantine/spotlight';
import type { TablerIcon } from '@tabler/icons-react';

export type Entry = {
  id: string;
  label: string;
  icon: TablerIcon;
  note?: string;
  /** Words by which users look for it, in addition to the label. */
  keywords?: string;
  onSelect: () => void;
};
export type EntryGroup = { name: string; entries: Entry[] };

export function toSpotlightAction({
  id,
  label,
  icon: Icon,
  note,
  onSelect,
}: Entry): SpotlightActionData {
  return {
    id,
    label,
    leftSection: <Icon size={17} aria-hidden />,
    ...(note !== undefined && { description: note }),
    onClick: onSelect,
  };
}
