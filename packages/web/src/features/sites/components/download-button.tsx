import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { siteColumnsMessages as messages } from '../../../messages/site-columns.ts';
import { exportUrl, type View } from '../api.ts';
import type { Column } from '../columns.tsx';

/** Downloads all matching sites, not only the loaded ones. */
export function DownloadButton({ view, columns }: { view: View; columns: Column[] }) {
  return (
    <Button
      component="a"
      href={exportUrl(
        view,
        columns.map(({ id }) => id),
      )}
      download
      variant="subtle"
      size="compact-sm"
      leftSection={<IconDownload size={15} aria-hidden />}
    >
      {messages.download}
    </Button>
  );
}
