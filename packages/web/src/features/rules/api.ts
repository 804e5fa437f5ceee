import type {
  ChangeRuleRequest,
  CreateRuleRequest,
  QuarantineListResponse,
  QuarantineRequest,
  RulePreviewResponse,
  RuleResponse,
  RulesResponse,
  RuleTargetRequest,
} from '@steward/contract';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';
import { UPDATE_SUMMARY_KEY } from '../../lib/update-summary-api.ts';

export const rulesQuery = queryOptions({
  queryKey: ['rules', 'list'],
  queryFn: async ({ signal }) =>
    (await api<Static<typeof RulesResponse>>('/panel/rules', { signal })).rules,
});

export const quarantineQuery = queryOptions({
  queryKey: ['rules', 'quarantine'],
  queryFn: async ({ signal }) =>
    (await api<Static<typeof QuarantineListResponse>>('/panel/quarantine', { signal }))
      .quarantined_versions,
});

/** The number of sites to which a rule would apply. */
export const ruleSitesQuery = (target: RuleTargetRequest) =>
  queryOptions({
    queryKey: ['rules', 'preview', target],
    queryFn: async ({ signal }) =>
      (
        await api<Static<typeof RulePreviewResponse>>('/panel/rules/preview', {
          method: 'POST',
          body: target,
          signal,
        })
      ).sites,
  });

export const createRule = (body: CreateRuleRequest) =>
  api<Static<typeof RuleResponse>>('/panel/rules', { method: 'POST', body });

export const changeRule = (id: number, body: ChangeRuleRequest) =>
  api<Static<typeof RuleResponse>>(`/panel/rules/${id}`, { method: 'PATCH', body });

export const deleteRule = (id: number) => api(`/panel/rules/${id}`, { method: 'DELETE' });

export const quarantineVersion = (body: QuarantineRequest) =>
  api('/panel/quarantine', { method: 'POST', body });

export const liftQuarantine = (id: number, reason: string) =>
  api(`/panel/quarantine/${id}/lift`, { method: 'POST', body: { reason } });

/** Rules and quarantine also change what the pages of sites and software show. */
export const refreshRules = (client: QueryClient) =>
  Promise.all(
    [['rules'], ['sites'], ['site'], ['software'], UPDATE_SUMMARY_KEY].map((queryKey) =>
      client.invalidateQueries({ queryKey }),
    ),
  );
