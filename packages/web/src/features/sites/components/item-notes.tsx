import { Stack, Text } from '@mantine/core';
import type { HeldItem, SiteDetails, SoftwareType } from '@steward/contract';
import { HoldNote } from '../../../components/hold-note.tsx';
import { holdMessages } from '../../../messages/holds.ts';

const messages = holdMessages.hold;

type Props = {
  site: SiteDetails;
  item: { type: SoftwareType; slug: string };
  /** Whether WordPress itself updates the item. */
  autoUpdate: boolean | undefined;
};

export function findHeldItem(site: SiteDetails, item: Props['item']): HeldItem | undefined {
  return site.held_items.find(({ type, slug }) => type === item.type && slug === item.slug);
}

/** What holds the update of an item back, and whether WordPress updates it on its own. */
export function ItemNotes({ site, item, autoUpdate }: Props) {
  const held = findHeldItem(site, item);
  if (!held && !autoUpdate) return null;
  return (
    <Stack gap={0}>
      {held && <HoldNote hold={held.hold} />}
      {autoUpdate && (
        <Text size="sm" c={held ? undefined : 'dimmed'} component="span">
          {held ? messages.autoUpdateHeld : messages.autoUpdate}
        </Text>
      )}
    </Stack>
  );
}
