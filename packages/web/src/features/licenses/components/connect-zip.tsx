import { Button, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-note.tsx';
import { api } from '../../../lib/api.ts';
import { createEnrolmentCodes } from '../../../lib/licenses-api.ts';
import { connectMessages } from '../../../messages/connect.ts';
import type { WayProps } from '../way-props.ts';
import styles from './connect-steps.module.css';
import { ExpiryNote } from './expiry-note.tsx';

const messages = connectMessages.zip;

export function ConnectZip({ licenseId }: WayProps) {
  const download = useMutation({
    mutationFn: async () => {
      const codes = await createEnrolmentCodes(licenseId, 1);
      const path = codes[0] ? new URL(codes[0].plugin_url).pathname : '';
      // Request the file with `fetch` first, so that the page can show an error: a browser shows no reason when a
      // download fails. A download does not use up the code.
      await api(path);
      location.assign(path);
      return codes;
    },
  });
  return (
    <ol className={styles.steps}>
      <li className={styles.step}>
        <Text>{messages.download}</Text>
        <Button
          variant={download.data ? 'default' : 'filled'}
          my={8}
          loading={download.isPending}
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={() => download.mutate()}
        >
          {download.data ? messages.downloadAnother : messages.downloadButton}
        </Button>
        {download.error && <ErrorNote error={download.error} />}
        <ExpiryNote codes={download.data ?? []} />
      </li>
      <li className={styles.step}>
        <Text>
          {messages.openPlugins} <b>{messages.pluginsMenu}</b> {messages.activate}
        </Text>
      </li>
    </ol>
  );
}
