import { createCallSigner } from '@steward/conformance/call-signer.ts';
import { type PackageServer, startPackageServer } from '@steward/conformance/package-server.ts';
import { buildZip, type ZipEntry } from '@steward/conformance/zip.ts';
import {
  BulkUpdateResponse,
  type InstallItem,
  type ItemUpdateResult,
  SERVICE_KEY_HEADER,
} from '@steward/contract';
import type { LicensedSite, LicensingPanel } from '@steward/testkit/wordpress/licensed-site.ts';
import Value from 'typebox/value';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';

type Holder = { site: LicensedSite; panel: LicensingPanel };

/** Sends signed calls that install packages. The package server is the panel of the site. */
export function usePackageCalls(holder: Holder) {
  const signer = createCallSigner();
  let server: PackageServer;
  beforeAll(async () => {
    server = await startPackageServer(() => holder.panel.url);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await holder.site.connect({ panelUrl: server.url });
    await holder.site.setOption('steward_panel_key', signer.publicKey);
    // Other calls of these tests are not signed.
    await holder.site.setOption('steward_accept_unsigned', '1');
  });

  const headersFor = (path: string, body: string) => ({
    [SERVICE_KEY_HEADER]: holder.site.key,
    'content-type': 'application/json',
    ...signer.headersFor({ siteUrl: holder.site.url, path, body }),
  });

  async function callSigned(path: string, request: object) {
    const body = JSON.stringify(request);
    const response = await fetch(`${holder.site.url}/wp-json/service/v1/remote/${path}`, {
      method: 'POST',
      headers: headersFor(path, body),
      body,
    });
    return { status: response.status, body: (await response.json()) as object };
  }

  return {
    publish: (files: ZipEntry[]) => server.publish(buildZip(files)),

    callSigned,

    async install(...items: InstallItem[]): Promise<ItemUpdateResult[]> {
      const { status, body } = await callSigned('install', { items });
      expect([status, Value.Check(BulkUpdateResponse, body)]).toEqual([200, true]);
      const { results } = body as BulkUpdateResponse;
      return [...results.plugins, ...results.themes];
    },

    /** Runs a call in a separate process, which code of the test on the site kills. */
    async runKilled(path: string, items: object[]): Promise<void> {
      const body = JSON.stringify({ items });
      const headers = Object.entries(headersFor(path, body));
      const variables = headers.map(([name, value]) => [
        `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
        value,
      ]);
      const call = holder.site.runPhp(`
        $_SERVER = json_decode( '${JSON.stringify(Object.fromEntries(variables))}', true ) + $_SERVER;
        $request = new WP_REST_Request( 'POST', '/service/v1/remote/${path}' );
        $request->set_headers( json_decode( '${JSON.stringify(Object.fromEntries(headers))}', true ) );
        $request->set_body( '${body}' );
        echo wp_json_encode( rest_do_request( $request )->get_data() );
      `);
      await expect(call).rejects.toThrow();
    },
  };
}
