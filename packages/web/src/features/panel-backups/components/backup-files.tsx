import { Button, Table, VisuallyHidden } from '@mantine/core';
import { formatBytes, type PanelBackups } from '@steward/contract';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { RelativeTime } from '../../../components/time.tsx';
import { getCsrfToken } from '../../../lib/api.ts';
import { notifyError } from '../../../lib/notify.ts';
import { panelBackupsMessages } from '../../../messages/panel-backups.ts';
import { CSRF_FIELD, checkBackup, downloadPath } from '../api.ts';
import styles from './backup-files.module.css';

const messages = panelBackupsMessages.files;
type BackupFile = PanelBackups['files'][number];

export function BackupFiles({ files }: { files: BackupFile[] }) {
  return (
    <Table className={styles.table} fz="md" aria-label={messages.title}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{messages.columns.created}</Table.Th>
          <Table.Th className={styles.size}>{messages.columns.size}</Table.Th>
          <Table.Th className={styles.kind}>{messages.columns.kind}</Table.Th>
          <Table.Th className={styles.action}>
            <VisuallyHidden>{messages.columns.actions}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {files.map((file) => (
          <Table.Tr key={file.name}>
            <Table.Td>
              <RelativeTime at={file.created_at} />
            </Table.Td>
            <Table.Td className={`${styles.size} tabular`}>{formatBytes(file.bytes)}</Table.Td>
            <Table.Td className={styles.kind}>{messages.kinds[file.kind]}</Table.Td>
            <Table.Td className={styles.action}>
              <DownloadButton name={file.name} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Checks the file before the download, so that the page can ask for a confirmation and show an error. */
function DownloadButton({ name }: { name: string }) {
  const form = useRef<HTMLFormElement>(null);
  const token = useRef<HTMLInputElement>(null);
  const check = useMutation({
    mutationFn: () => checkBackup(name),
    onSuccess: () => {
      // A confirmation may have renewed the token.
      if (token.current) token.current.value = getCsrfToken();
      form.current?.submit();
    },
    onError: notifyError,
  });
  return (
    <form
      ref={form}
      method="post"
      action={downloadPath(name)}
      onSubmit={(event) => {
        event.preventDefault();
        check.mutate();
      }}
    >
      <input ref={token} type="hidden" name={CSRF_FIELD} />
      <Button
        type="submit"
        variant="default"
        size="xs"
        loading={check.isPending}
        leftSection={<IconDownload size={14} aria-hidden />}
        aria-label={messages.downloadOf(name)}
      >
        {messages.download}
      </Button>
    </form>
  );
}
