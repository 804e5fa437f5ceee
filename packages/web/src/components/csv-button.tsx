import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { commonMessages } from '../messages/common.ts';

/** Downloads a whole list as a CSV file, not only its loaded part. */
export function CsvButton({ href }: { href: string }) {
  return (
    <Button
      component="a"
      href={href}
      download
      variant="subtle"
      size="compact-sm"
      leftSection={<IconDownload size={15} aria-hidden />}
    >
      {commonMessages.downloadCsv}
    </Button>
  );
}
