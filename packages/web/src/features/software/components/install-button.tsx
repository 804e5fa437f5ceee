import { Button, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote } from '../../../components/error-note.tsx';
import { siteIdsQuery } from '../../../lib/software-api.ts';
import { tagsQuery } from '../../../lib/tags-api.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { InstallDialog } from '../../run-dialogs/index.ts';

const messages = packagesMessages.install;

/** Installs a plugin or theme on all sites, or on all sites with a tag. */
export function InstallButton() {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={dialog.open}>
        {messages.open}
      </Button>
      {isOpen && <InstallOnSites onClose={dialog.close} />}
    </>
  );
}

/** The value of the option for all sites. A tag is never empty. */
const ALL_SITES = '';

function InstallOnSites({ onClose }: { onClose: () => void }) {
  const [tag, setTag] = useState(ALL_SITES);
  const tags = useQuery(tagsQuery).data?.tags ?? [];
  const { data, error, refetch } = useQuery(siteIdsQuery(tag === ALL_SITES ? {} : { tag }));
  return (
    <InstallDialog siteIds={data?.site_ids ?? []} onClose={onClose}>
      <Select
        label={messages.sites}
        data={[
          { value: ALL_SITES, label: messages.allSites },
          ...tags.map(({ name, sites }) => ({ value: name, label: messages.tagged(name, sites) })),
        ]}
        value={tag}
        onChange={(value) => setTag(value ?? ALL_SITES)}
        allowDeselect={false}
      />
      {error && <ErrorNote error={error} onRetry={refetch} />}
    </InstallDialog>
  );
}
