import { SegmentedControl, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import type { InstallSource } from '../../../lib/packages-api.ts';
import { packagesMessages } from '../../../messages/packages.ts';
import { DirectoryFields } from './directory-fields.tsx';
import { InstallForm } from './install-form.tsx';
import { UploadField } from './upload-field.tsx';

const messages = packagesMessages.install;
const SOURCES = ['upload', 'directory'] as const;

type Props = {
  siteIds: number[];
  onClose: () => void;
  /** Fields to choose the sites, on pages where the user cannot select sites. */
  children?: ReactNode;
};

/** Installs an uploaded package, or a plugin or theme of wordpress.org, on sites. */
export function InstallDialog({ siteIds, onClose, children }: Props) {
  const [kind, setKind] = useState<string>('upload');
  const [source, setSource] = useState<InstallSource | null>(null);
  const choose = (value: string) => {
    setKind(value);
    setSource(null);
  };
  return (
    <Dialog onClose={onClose} title={messages.title} size="lg">
      <Stack gap="md">
        <SegmentedControl
          aria-label={messages.source}
          data={SOURCES.map((value) => ({ value, label: messages.sources[value] }))}
          value={kind}
          onChange={choose}
        />
        {kind === 'upload' ? (
          <UploadField
            onChange={(uploaded) => setSource(uploaded && { packages: [uploaded.id] })}
          />
        ) : (
          <DirectoryFields onChange={(item) => setSource(item && { items: [item] })} />
        )}
        {children}
        <InstallForm siteIds={siteIds} source={source} onClose={onClose} />
      </Stack>
    </Dialog>
  );
}
