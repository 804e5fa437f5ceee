import { Button, Group, Menu } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconColumns3 } from '@tabler/icons-react';
import { CsvButton } from '../../../components/csv-button.tsx';
import { siteColumnsMessages as messages } from '../../../messages/site-columns.ts';
import { exportUrl, type View } from '../api.ts';
import { toggleColumn } from '../chosen-columns.ts';
import type { Column } from '../columns.tsx';

type Props = {
  view: View;
  /** All columns of the list, those that it shows, and those that it shows without a choice. */
  all: Column[];
  shown: Column[];
  usual: Column[];
  onChoose: (columns: string | undefined) => void;
};

const idsOf = (columns: Column[]) => columns.map(({ id }) => id);

/** The choice of columns, and the download of the list with them. */
export function ListOptions({ view, all, shown, usual, onChoose }: Props) {
  const ids = idsOf(shown);
  const isUsual = shown === usual;
  // A phone shows the name, the status and the updates, whatever the choice.
  const isNarrow = useMediaQuery('(max-width: 699px)', false, { getInitialValueInEffect: false });
  return (
    <Group gap={4} ml="auto" wrap="nowrap">
      {!isNarrow && (
        <Menu position="bottom-end" closeOnItemClick={false}>
          <Menu.Target>
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<IconColumns3 size={15} aria-hidden />}
            >
              {messages.menu}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {all
              .filter(({ id }) => id !== 'name')
              .map(({ id, label }) => (
                <Menu.CheckboxItem
                  key={id}
                  checked={ids.includes(id)}
                  onChange={() => onChoose(toggleColumn(ids, id, idsOf(usual)))}
                >
                  {label}
                </Menu.CheckboxItem>
              ))}
            {!isUsual && (
              <>
                <Menu.Divider />
                <Menu.Item onClick={() => onChoose(undefined)}>{messages.reset}</Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      <CsvButton href={exportUrl(view, ids)} />
    </Group>
  );
}
