import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { SiteDetails } from '@steward/contract';
import { useHasPermission } from '../../../lib/session.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { RestoreDialog } from '../../run-dialogs/index.ts';

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
      <Button
        size="xs"
        variant="default"
        aria-label={packagesMessages.restore.buttonLabel(name)}
        disabled={!site.remote.possible}
        onClick={dialog.open}
      >
        {packagesMessages.restore.open}
      </Button>
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
