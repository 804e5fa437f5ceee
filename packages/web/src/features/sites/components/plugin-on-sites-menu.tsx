import { Button, Menu, Text } from '@mantine/core';
import type { PluginAction } from '@steward/contract';
import { IconChevronUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Blockable } from '../../../components/blockable.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { DangerMenuItem } from '../../../components/danger-menu-item.tsx';
import { startPluginAction } from '../../../lib/runs-api.ts';
import { softwareItemQuery } from '../../../lib/software-api.ts';
import { useGoToRun } from '../../../lib/use-go-to-run.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { sitesMessages } from '../../../messages/sites.ts';

const messages = sitesMessages.pluginOnSites;
const HARMLESS_ACTIONS = ['activate', 'deactivate'] as const satisfies PluginAction[];
type Action = (typeof HARMLESS_ACTIONS)[number] | 'delete';

type Props = {
  plugin: string;
  siteIds: number[];
  blockedBy: string | null;
  onRestore: () => void;
};

/** Actions on the plugin in the software filter, on all selected sites. */
export function PluginOnSitesMenu({ plugin, siteIds, blockedBy, onRestore }: Props) {
  const [action, setAction] = useState<Action | null>(null);
  const goToRun = useGoToRun();
  const { data } = useQuery(softwareItemQuery({ type: 'plugin', slug: plugin }));
  const name = data?.name ?? plugin;
  const button = (
    <Button variant="default" rightSection={<IconChevronUp size={15} aria-hidden />}>
      {messages.open(name)}
    </Button>
  );
  if (blockedBy) return <Blockable reason={blockedBy}>{button}</Blockable>;
  return (
    <>
      <Menu position="top-end">
        <Menu.Target>{button}</Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onRestore}>{packagesMessages.restore.menuLabel}</Menu.Item>
          {HARMLESS_ACTIONS.map((each) => (
            <Menu.Item key={each} onClick={() => setAction(each)}>
              {messages.actions[each]}
            </Menu.Item>
          ))}
          <DangerMenuItem onClick={() => setAction('delete')}>
            {messages.actions.delete}
          </DangerMenuItem>
        </Menu.Dropdown>
      </Menu>
      {action && (
        <ConfirmDialog
          title={messages.title(action, name)}
          confirmLabel={messages.confirm(action, siteIds.length)}
          isDangerous={action === 'delete'}
          onConfirm={async () => goToRun(await startPluginAction(siteIds, { action, plugin }))}
          onClose={() => setAction(null)}
        >
          <Text>{messages.effects[action](siteIds.length)}</Text>
        </ConfirmDialog>
      )}
    </>
  );
}
