import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { SiteDetails } from '@steward/contract';
import { Blockable } from '../../../components/blockable.tsx';
import { useHasPermission } from '../../../lib/session.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { RestoreDialog } from '../../run-dialogs/index.ts';
import { findSiteBlock } from '../find-site-block.ts';

type Props = {
  site: SiteDetails;
  theme: { slug: string; name: string; saved_versions?: string[] };
};

/** Restores a saved version of a theme. Shown only if the site has one. */
export function RestoreThemeButton({ site, theme: { slug, name, saved_versions = [] } }: Props) {
  const [isOpen, dialog] = useDisclosure();
  const mayAct = useHasPermission('sites.act');
  if (saved_versions.length === 0 || !mayAct) return null;
  return (
    <>
      <Blockable reason={findSiteBlock(site)}>
        <Button
          size="xs"
          variant="default"
          aria-label={packagesMessages.restore.buttonLabel(name)}
          onClick={dialog.open}
        >
          {packagesMessages.restore.open}
        </Button>
      </Blockable>
      {isOpen && (
        <RestoreDialog
          siteIds={[site.id]}
          item={{ type: 'theme', slug }}
          name={name}
          onClose={dialog.close}
        />
      )}
    </>
  );
}
