import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { api } from '../../../lib/api.ts';
import { connectMessages } from '../../../messages/connect.ts';

const PLUGIN_URL = '/panel/plugin.zip';

/** Downloads the plugin with the address of the panel, without a code. */
export function DownloadPluginButton() {
  // Request the file with `fetch` first, so that the page can show an error.
  const download = useMutation({
    mutationFn: () => api(PLUGIN_URL),
    onSuccess: () => location.assign(PLUGIN_URL),
  });
  return (
    <>
      <Button
        component="a"
        href={PLUGIN_URL}
        variant="default"
        size="xs"
        mt={6}
        leftSection={<IconDownload size={14} aria-hidden />}
        onClick={(event) => {
          event.preventDefault();
          download.mutate();
        }}
      >
        {connectMessages.constants.downloadButton}
      </Button>
      {download.error && <ErrorNote error={download.error} />}
    </>
  );
}
