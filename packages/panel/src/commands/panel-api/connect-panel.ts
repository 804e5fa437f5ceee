import { openLocalPanel } from './local-panel.ts';
import { createPanelApi, type PanelApi } from './panel-api.ts';
import { createRemoteSender } from './remote-panel.ts';
import { type RemoteOptions, readRemoteSettings } from './remote-settings.ts';

export type PanelConnection = {
  api: PanelApi;
  /** Whether a process runs the tasks of runs. Only the panel on this machine knows; null for a remote panel. */
  isWorkerRunning(): Promise<boolean | null>;
  close(): Promise<void>;
};

/** Connects to the panel of STEWARD_URL or `--panel`. Without them, opens the panel on this machine. */
export async function connectPanel(
  env: NodeJS.ProcessEnv,
  options: RemoteOptions,
): Promise<PanelConnection> {
  const remote = readRemoteSettings(env, options);
  if (remote !== null) {
    const api = createPanelApi(createRemoteSender(remote), remote.url);
    return { api, isWorkerRunning: async () => null, close: async () => {} };
  }
  const { send, ...local } = await openLocalPanel(env);
  return { api: createPanelApi(send, 'The panel'), ...local };
}
