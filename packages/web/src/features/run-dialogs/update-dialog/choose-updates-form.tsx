import { Text } from '@mantine/core';
import type { UpdateItem } from '@steward/contract';
import { useState } from 'react';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { updateMessages } from '../../../messages/update.ts';
import { ChosenSites } from '../components/chosen-sites.tsx';
import type { Skipped } from '../components/skipped-sites.tsx';
import { keyOf, OfferedItems } from './offered-items.tsx';
import { keepOneVersion, listAmbiguous, toRolloutItem } from './one-version-per-item.ts';
import { PreflightSummary } from './preflight-summary.tsx';
import { RolloutChoice } from './rollout-choice.tsx';
import { type RolloutPlan, toRings, toSettings } from './rollout-plan.ts';
import { type Rollout, toSkipped, UpdateForm } from './update-form.tsx';
import type { OfferedItem, Preview } from './update-preview-api.ts';
import { usePreflightChoice } from './use-preflight-choice.ts';

type Props = {
  preview: Preview;
  only?: Pick<UpdateItem, 'type' | 'slug'> | undefined;
  onClose: () => void;
};

/**
 * Lets the user choose updates and sites. Core is selected by default only if `only` is core: a core update cannot be
 * rolled back, and Steward does not know whether the user has backed up the sites.
 */
export function ChooseUpdatesForm({ preview, only, onClose }: Props) {
  const offered = preview.to_update.items.filter((item) => !only || isSameItem(item, only));
  const [excludedItems, setExcludedItems] = useState(
    () => new Set(only ? [] : offered.filter(({ type }) => type === 'core').map(keyOf)),
  );
  const [excludedSites, setExcludedSites] = useState<ReadonlySet<number>>(new Set());
  const [plan, setPlan] = useState<RolloutPlan | null>(null);
  const [versionByItem, setVersionByItem] = useState<Record<string, string>>({});
  const ticked = offered.filter((item) => !item.hold && !excludedItems.has(keyOf(item)));
  const chosen = plan ? keepOneVersion(ticked, versionByItem) : ticked;
  const sitesWithUpdates = [...new Set(chosen.flatMap(({ site_ids }) => site_ids))];
  const items = chosen.map(({ type, slug, version }) => ({ type, slug, version }));
  const preflight = usePreflightChoice(sitesWithUpdates, items);
  const siteIds = preflight.remaining.filter((id) => !excludedSites.has(id));
  const allHeld = offered.every(({ hold }) => hold !== undefined) ? offered[0]?.hold : undefined;
  const allowedSites = new Set(
    offered.flatMap(({ hold, site_ids }) => (hold === undefined ? site_ids : [])),
  );
  const notChosen = allowedSites.size - new Set(sitesWithUpdates).size;
  const hasCore = chosen.some(({ type }) => type === 'core');
  return (
    <UpdateForm
      preview={preview}
      skipped={addUnsupported(preview)}
      siteIds={siteIds}
      choice={
        plan ? { mode: 'in_rings', rollout: toRollout(chosen, plan) } : { mode: 'at_once', items }
      }
      blockedBy={allHeld?.explanation ?? null}
      onClose={onClose}
    >
      {offered.length === 0 ? (
        <Text>{updateMessages.nothingPending}</Text>
      ) : (
        <>
          <OfferedItems items={offered} excluded={excludedItems} onChange={setExcludedItems} />
          {chosen.length === 0 ? (
            <Text c="dimmed">
              {allHeld ? updateMessages.choose.allHeld : updateMessages.choose.nothingChosen}
            </Text>
          ) : (
            <ChosenSites
              siteIds={preflight.remaining}
              names={preview.to_update.sites}
              excluded={excludedSites}
              messages={updateMessages.choose}
              onChange={setExcludedSites}
            />
          )}
          {chosen.length > 0 && notChosen > 0 && (
            <Text c="dimmed" size="sm">
              {updateMessages.choose.notChosen(notChosen)}
            </Text>
          )}
          <PreflightSummary choice={preflight} />
          {(sitesWithUpdates.length > 1 || plan) && (
            <RolloutChoice
              siteIds={siteIds}
              plan={plan}
              ambiguous={listAmbiguous(ticked)}
              versionByItem={versionByItem}
              onChange={setPlan}
              onChooseVersion={setVersionByItem}
            />
          )}
          <Text c="dimmed" size="sm">
            {plan ? rolloutMessages.plan.note : updateMessages.note}{' '}
            {hasCore && updateMessages.coreNote}
          </Text>
        </>
      )}
    </UpdateForm>
  );
}

function toRollout(chosen: OfferedItem[], plan: RolloutPlan): Rollout | null {
  const rings = toRings(plan.rings);
  const settings = toSettings(plan);
  if (rings === null || settings === null) return null;
  return { items: chosen.map(toRolloutItem), rings, settings };
}

const isSameItem = (item: OfferedItem, only: Pick<UpdateItem, 'type' | 'slug'>) =>
  item.type === only.type && item.slug === only.slug;

/** Adds the sites whose Steward plugin is too old to choose updates: they would install every pending update. */
function addUnsupported(preview: Preview): Skipped {
  const { items_unsupported } = preview;
  const skipped = toSkipped(preview);
  return {
    count: skipped.count + items_unsupported.site_ids.length,
    sites: [
      ...skipped.sites,
      ...items_unsupported.sites.map((site) => ({
        ...site,
        reason: updateMessages.skipReasons.items_unsupported,
      })),
    ],
  };
}
