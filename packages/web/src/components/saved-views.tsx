import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { SavedView, SavedViewPage } from '@steward/contract';
import { IconBookmark, IconCheck, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { notifyError } from '../lib/notify.ts';
import { notifyWithUndo } from '../lib/notify-with-undo.tsx';
import { deleteView, savedViewsQuery, saveView } from '../lib/saved-views-api.ts';
import { toViewQuery } from '../lib/view-query.ts';
import { savedViewsMessages as messages } from '../messages/saved-views.ts';
import { DangerMenuItem } from './danger-menu-item.tsx';
import { SaveViewDialog } from './save-view-dialog.tsx';

const PATHS = { sites: '/sites', software: '/software', audit: '/audit' } as const;

/** `never`: the pages differ in their parameters, and each drops those that it does not know. */
const toSearch = (query: string) => Object.fromEntries(new URLSearchParams(query)) as never;

type Props = {
  page: SavedViewPage;
  /** The filter bar shows the filters of the opened view. */
  onOpen: () => void;
};

/** A menu with the saved views of a list. The view that is open can be deleted. */
export function SavedViews({ page, onOpen }: Props) {
  const client = useQueryClient();
  const query = useRouterState({ select: ({ location }) => toViewQuery(location.searchStr) });
  const views = useQuery(savedViewsQuery).data?.views.filter((view) => view.page === page) ?? [];
  const current = views.find((view) => view.query === query);
  const [isSaving, dialog] = useDisclosure(false);
  const reload = () => client.invalidateQueries(savedViewsQuery);

  const remove = async (view: SavedView) => {
    await deleteView(view.id);
    await reload();
    notifyWithUndo(messages.deleted(view.name), {
      isWarning: false,
      onUndo: () => void saveView(view).then(reload).catch(notifyError),
    });
  };

  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<IconBookmark size={15} aria-hidden />}>
            {current?.name ?? messages.menu}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length === 0 && <Menu.Label>{messages.none}</Menu.Label>}
          {views.map((view) => (
            <Menu.Item
              key={view.id}
              component={Link}
              to={PATHS[page]}
              search={toSearch(view.query)}
              onClick={onOpen}
              rightSection={view === current && <IconCheck size={15} aria-hidden />}
              aria-current={view === current}
            >
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={dialog.open}>{messages.save}</Menu.Item>
          {current && (
            <DangerMenuItem
              leftSection={<IconTrash size={15} aria-hidden />}
              onClick={() => void remove(current).catch(notifyError)}
            >
              {messages.delete(current.name)}
            </DangerMenuItem>
          )}
        </Menu.Dropdown>
      </Menu>
      {isSaving && (
        <SaveViewDialog page={page} query={query} views={views} onClose={dialog.close} />
      )}
    </>
  );
}
