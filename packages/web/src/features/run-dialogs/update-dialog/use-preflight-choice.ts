import type { Preflight, UpdateItem } from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { preflightQuery } from '../../../lib/preflight-api.ts';

/** The sites on which every update would fail (`certain`) or may fail (`uncertain`). No site is in both. */
function splitSites({ groups, certain_site_ids }: Preflight) {
  const certain = new Set(certain_site_ids);
  const failing = groups.flatMap(({ site_ids }) => site_ids);
  return { certain, uncertain: new Set(failing.filter((id) => !certain.has(id))) };
}

export type PreflightChoice = ReturnType<typeof usePreflightChoice>;

/**
 * Predicts on which sites an update would fail. The user chooses which of these sites to leave out; by default, those
 * that would fail for certain. `remaining`: the sites that are not left out.
 */
export function usePreflightChoice(siteIds: number[], items?: UpdateItem[]) {
  const { data, error } = useQuery(preflightQuery(siteIds, items));
  const [leavesOutCertain, setLeavesOutCertain] = useState(true);
  const [leavesOutUncertain, setLeavesOutUncertain] = useState(false);
  const { certain, uncertain } = data
    ? splitSites(data)
    : { certain: new Set<number>(), uncertain: new Set<number>() };
  const isLeftOut = (id: number) =>
    (leavesOutCertain && certain.has(id)) || (leavesOutUncertain && uncertain.has(id));
  return {
    preflight: data,
    error,
    certain,
    uncertain,
    leavesOutCertain,
    setLeavesOutCertain,
    leavesOutUncertain,
    setLeavesOutUncertain,
    remaining: siteIds.filter((id) => !isLeftOut(id)),
  };
}
