import { Checkbox, List, Text } from '@mantine/core';
import type { VersionWarning } from '@steward/contract';
import { useState } from 'react';
import { StatusLabel } from '../../../components/status-label.tsx';
import { preflightMessages } from '../../../messages/preflight.ts';
import { updateMessages } from '../../../messages/update.ts';
import { PreflightSummary } from './preflight-summary.tsx';
import { toSkipped, UpdateForm } from './update-form.tsx';
import type { Preview } from './update-preview-api.ts';
import { usePreflightChoice } from './use-preflight-choice.ts';

const KINDS = ['plugins', 'themes', 'core'] as const;

/** Installs all pending updates. Used if no site with pending updates can install selected ones, or none is pending. */
export function UpdateAllForm({ preview, onClose }: { preview: Preview; onClose: () => void }) {
  const { to_update, nothing_pending } = preview;
  const [includesUpToDate, setIncludesUpToDate] = useState(false);
  const upToDate = nothing_pending.site_ids;
  const chosen = includesUpToDate ? [...to_update.site_ids, ...upToDate] : to_update.site_ids;
  const preflight = usePreflightChoice(chosen);
  return (
    <UpdateForm
      preview={preview}
      skipped={toSkipped(preview)}
      siteIds={preflight.remaining}
      choice={{ mode: 'at_once' }}
      onClose={onClose}
    >
      <Summary preview={preview} />
      <VersionWarnings warnings={preflight.preflight?.warnings ?? []} />
      <PreflightSummary choice={preflight} />
      {upToDate.length > 0 && (
        <Checkbox
          checked={includesUpToDate}
          onChange={({ currentTarget }) => setIncludesUpToDate(currentTarget.checked)}
          label={updateMessages.alsoUpdate(upToDate.length)}
          description={updateMessages.alsoUpdateNote}
        />
      )}
    </UpdateForm>
  );
}

/** The form lists no versions, so it names those that fail on other sites. */
function VersionWarnings({ warnings }: { warnings: VersionWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <List listStyleType="none">
      {warnings.map(({ type, slug, name, version, message }) => (
        <List.Item key={`${type} ${slug} ${version}`}>
          <StatusLabel kind="warn" isSentence>
            {preflightMessages.versionWarning(name, message)}
          </StatusLabel>
        </List.Item>
      ))}
    </List>
  );
}

function Summary({ preview: { to_update } }: { preview: Preview }) {
  const { site_ids, pending } = to_update;
  if (site_ids.length === 0) return <Text>{updateMessages.nothingPending}</Text>;
  return (
    <div>
      <Text>{updateMessages.onSites(site_ids.length)}</Text>
      <List mt={4} className="tabular">
        {KINDS.filter((kind) => pending[kind] > 0).map((kind) => (
          <List.Item key={kind}>{updateMessages.counts[kind](pending[kind])}</List.Item>
        ))}
      </List>
      <Text c="dimmed" size="sm" mt={6}>
        {updateMessages.note} {pending.core > 0 && updateMessages.coreNote}
      </Text>
    </div>
  );
}
