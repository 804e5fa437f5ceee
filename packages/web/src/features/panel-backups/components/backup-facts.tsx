import { Text } from '@mantine/core';
import { type BackupActivity, formatBytes, type PanelBackups } from '@steward/contract';
import { Fact, FactList } from '../../../components/fact-list.tsx';
import { type StatusKind, StatusLabel } from '../../../components/status-label.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { panelBackupsMessages } from '../../../messages/panel-backups.ts';

const messages = panelBackupsMessages.facts;

const ACTIVITY_KINDS: Record<BackupActivity, StatusKind> = {
  idle: 'empty',
  queued: 'waiting',
  running: 'running',
  no_worker: 'warn',
};

export function BackupFacts({ backups }: { backups: PanelBackups }) {
  const { activity, last, folder, every_hours, kept } = backups;
  const activityText = panelBackupsMessages.activity[activity];
  return (
    <FactList>
      <Fact name={messages.last}>
        <LastBackup last={last} />
        {activityText && (
          <StatusLabel kind={ACTIVITY_KINDS[activity]} isSentence>
            <span role="status">{activityText}</span>
          </StatusLabel>
        )}
      </Fact>
      {last?.bytes != null && <Fact name={messages.size}>{formatBytes(last.bytes)}</Fact>}
      {folder !== null && (
        <Fact name={messages.folder}>
          <span className="mono">{folder}</span>
        </Fact>
      )}
      {every_hours !== null && kept !== null && (
        <Fact name={messages.schedule}>{panelBackupsMessages.schedule(every_hours, kept)}</Fact>
      )}
    </FactList>
  );
}

function LastBackup({ last }: { last: PanelBackups['last'] }) {
  if (last === null) return <StatusLabel kind="empty">{messages.none}</StatusLabel>;
  return (
    <>
      <StatusLabel kind={last.succeeded ? 'good' : 'bad'}>
        {last.succeeded ? messages.readable : messages.failed}
      </StatusLabel>
      <RelativeTime at={last.at} />
      {!last.succeeded && (
        <Text>
          {last.reason} {messages.retry}
        </Text>
      )}
    </>
  );
}
