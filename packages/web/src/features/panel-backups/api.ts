import type { PanelBackups, PanelBackupsResponse } from '@steward/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { api } from '../../lib/api.ts';

const PATH = '/panel/backups';
const REFRESH_MS = { busy: 2000, idle: 60_000 };

export const panelBackupsQuery = queryOptions<PanelBackups>({
  queryKey: ['panel-backups'],
  refetchInterval: ({ state }) =>
    state.data && state.data.activity !== 'idle' ? REFRESH_MS.busy : REFRESH_MS.idle,
  queryFn: async ({ signal }) =>
    (await api<Static<typeof PanelBackupsResponse>>(PATH, { signal })).backups,
});

export const requestBackup = async (): Promise<PanelBackups> =>
  (await api<Static<typeof PanelBackupsResponse>>(PATH, { method: 'POST' })).backups;

const fileAt = (name: string) => `${PATH}/${encodeURIComponent(name)}`;

/** Throws if the backup cannot be restored. Asks the user for a confirmation. */
export const checkBackup = (name: string) => api(fileAt(name));

/** A form with the CSRF token downloads the file: the browser writes it to disk while it arrives. */
export const CSRF_FIELD = 'csrf_token';
export const downloadPath = (name: string) => `${fileAt(name)}/download`;
