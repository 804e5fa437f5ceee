import { SERVICE_KEY_HEADER, SITE_API_PREFIX, SiteErrorBody } from '@steward/contract';
import Value from 'typebox/value';
import { expect } from 'vitest';
import type { CallSigner } from './call-signer.ts';
import { CORE, PLUGINS, type Scenario, type SiteUnderTest, THEMES } from './site-under-test.ts';

export type Answer = { status: number; body: Record<string, unknown> };

/** Calls a site as the panel does, and checks what every case has to check. */
export type SiteCaller = ReturnType<typeof createSiteCaller>;

/** `site` is asked for at each use: it is there only once the suite has started it. */
export function createSiteCaller(getSite: () => SiteUnderTest, signer: CallSigner | null) {
  const caller = {
    get site(): SiteUnderTest {
      return getSite();
    },

    get managementVersion(): string {
      return getSite().managementVersion ?? PLUGINS.management.version;
    },

    /** Empty where calls need none. */
    signatureFor: (path: string, body = '') =>
      signer?.headersFor({ siteUrl: getSite().url, path, body }) ?? {},

    endpoint: (path: string) => `${getSite().url}/${SITE_API_PREFIX}/remote/${path}`,

    async call(
      path: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<Answer> {
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
      // A site that swaps files may be closed for a moment, to everybody.
      while (response.status === 503) response = await send();
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },

    act: (action: unknown, plugin: unknown) => caller.call('plugin-action', { action, plugin }),

    reset: (scenario: Partial<Scenario> = {}) => {
      const known = signer && { panelKey: signer.publicKey };
      return getSite().reset({ updates: 'good', ...known, ...scenario });
    },

    expectError({ status, body }: Answer, wanted: [status: number, code: string]) {
      expect([status, body.code]).toEqual(wanted);
      expect(Value.Check(SiteErrorBody, body)).toBe(true);
      expect(JSON.stringify(body)).not.toContain(getSite().key);
    },

    async expectUntouched() {
      const { plugins, themes, core, active } = await getSite().look();
      expect(core).toBe(CORE.version);
      for (const { slug, version } of Object.values(THEMES)) expect(themes[slug]).toBe(version);
      const { [PLUGINS.management.file]: management, ...others } = plugins;
      expect(management).toBe(caller.managementVersion);
      for (const { file, version, active: isActive } of Object.values(PLUGINS)) {
        expect([file, active.includes(file)]).toEqual([file, isActive]);
        if (file !== PLUGINS.management.file) expect([file, others[file]]).toEqual([file, version]);
      }
    },
  };
  return caller;
}
