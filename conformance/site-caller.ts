import {
  listSiteErrors,
  SERVICE_KEY_HEADER,
  SITE_API_PREFIX,
  SITE_OPERATIONS,
  SiteErrorBody,
} from '@steward/contract';
import Value from 'typebox/value';
import { expect } from 'vitest';
import type { CallSigner } from './call-signer.ts';
import { CORE, PLUGINS, type Scenario, type SiteUnderTest, THEMES } from './site-under-test.ts';

export type SiteResponse = { status: number; body: Record<string, unknown> };

/** Calls a site as the panel does. Contains the assertions that all cases share. */
export type SiteCaller = ReturnType<typeof createSiteCaller>;

/** `getSite` is a function, because the suite starts the site later, in `beforeAll`. */
export function createSiteCaller(getSite: () => SiteUnderTest, signer: CallSigner | null) {
  const caller = {
    get site(): SiteUnderTest {
      return getSite();
    },

    get managementPluginVersion(): string {
      return getSite().managementPluginVersion ?? PLUGINS.management.version;
    },

    /** Returns no headers if calls need no signature. */
    signatureFor: (path: string, body = '') =>
      signer?.headersFor({ siteUrl: getSite().url, path, body }) ?? {},

    endpoint: (path: string) => `${getSite().url}/${SITE_API_PREFIX}/remote/${path}`,

    async call(
      path: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<SiteResponse> {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const send = () =>
        fetch(caller.endpoint(path), {
          method: 'POST',
          headers: {
            [SERVICE_KEY_HEADER]: getSite().key,
            'content-type': 'application/json',
            ...caller.signatureFor(path, text),
            ...headers,
          },
          ...(text !== undefined && { body: text }),
        });
      let response = await send();
      // A site may respond 503 in maintenance mode while it swaps files.
      while (response.status === 503) response = await send();
      const received = {
        status: response.status,
        body: (await response.json()) as Record<string, unknown>,
      };
      expectDocumented(path, received);
      return received;
    },

    act: (action: unknown, plugin: unknown) => caller.call('plugin-action', { action, plugin }),

    reset: (scenario: Partial<Scenario> = {}) => {
      const panelKey = signer && { panelKey: signer.publicKey };
      return getSite().reset({ updates: 'good', ...panelKey, ...scenario });
    },

    expectError({ status, body }: SiteResponse, expected: [status: number, code: string]) {
      expect([status, body.code]).toEqual(expected);
      expect(Value.Check(SiteErrorBody, body)).toBe(true);
      expect(JSON.stringify(body)).not.toContain(getSite().key);
    },

    async expectUnchanged() {
      const { plugins, themes, core, active } = await getSite().readState();
      expect(core).toBe(CORE.version);
      for (const { slug, version } of Object.values(THEMES)) expect(themes[slug]).toBe(version);
      const { [PLUGINS.management.file]: management, ...others } = plugins;
      expect(management).toBe(caller.managementPluginVersion);
      for (const { file, version, active: isActive } of Object.values(PLUGINS)) {
        expect([file, active.includes(file)]).toEqual([file, isActive]);
        if (file !== PLUGINS.management.file) expect([file, others[file]]).toEqual([file, version]);
      }
    },
  };
  return caller;
}

/** Compares a response with the API description. */
function expectDocumented(path: string, { status, body }: SiteResponse): void {
  const operation = SITE_OPERATIONS[`remote/${path}`];
  if (!operation) return;
  if (status === 200) expect(Value.Errors(operation.response, body)).toEqual([]);
  else expect(listSiteErrors(operation)).toContain(body.code);
}
