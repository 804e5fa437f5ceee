import { Button, Code, Stack, Text, Title } from '@mantine/core';
import type { PanelBackups } from '@steward/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Banner } from '../../components/banner.tsx';
import { Blockable } from '../../components/blockable.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SkeletonRows } from '../../components/skeleton-rows.tsx';
import { panelBackupsMessages as messages } from '../../messages/panel-backups.ts';
import { panelBackupsQuery, requestBackup } from './api.ts';
import { BackupFacts } from './components/backup-facts.tsx';
import { BackupFiles } from './components/backup-files.tsx';

/** For owners: the last backup of the panel, a new one, and downloads. */
export function PanelBackupsPage() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(panelBackupsQuery);
  const backUp = useMutation({
    mutationFn: requestBackup,
    onSuccess: (backups) => client.setQueryData(panelBackupsQuery.queryKey, backups),
  });
  return (
    <>
      <PageHeader
        width="reading"
        title={messages.title}
        note={messages.note}
        action={
          data && (
            <Blockable reason={findBlock(data)}>
              <Button loading={backUp.isPending} onClick={() => backUp.mutate()}>
                {messages.backUp}
              </Button>
            </Blockable>
          )
        }
      />
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {backUp.error && <ErrorNote error={backUp.error} />}
      {!data && !error && <SkeletonRows rows={6} />}
      {data && <Content backups={data} />}
    </>
  );
}

function findBlock({ folder, activity }: PanelBackups): string | null {
  if (folder === null) return messages.notConfigured.blocked;
  return activity === 'idle' ? null : messages.busy;
}

function Content({ backups }: { backups: PanelBackups }) {
  const { folder, folder_problem, files } = backups;
  return (
    <Stack gap="md">
      {folder === null && (
        <Banner tone="calm" title={messages.notConfigured.title}>
          {messages.notConfigured.text} <Code>{messages.notConfigured.command}</Code>
        </Banner>
      )}
      {folder_problem && (
        <Banner tone="bad" title={messages.folderProblem.title}>
          {messages.folderProblem.text(folder_problem)}
        </Banner>
      )}
      <BackupFacts backups={backups} />
      {folder !== null && folder_problem === null && (
        <section>
          <Title order={2} mb="xs">
            {messages.files.title}
          </Title>
          {files.length === 0 ? (
            <EmptyState isSection title={messages.files.emptyTitle}>
              {messages.files.empty}
            </EmptyState>
          ) : (
            <>
              <Text c="dimmed" maw={640} mb="xs">
                {messages.files.contents}
              </Text>
              <BackupFiles files={files} />
            </>
          )}
        </section>
      )}
    </Stack>
  );
}
