import { randomBytes } from 'node:crypto';
import { generateLicenseKey, type Inventory } from '@steward/contract';
import { newSiteUrl, useTestPanel, VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import { waitForLocks } from '@steward/testkit/postgres/test-database.ts';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

const REPORTED = { cms_version: '6.7', php_version: '8.4.1', plugin_version: '1.5.0' };

/** `check` and `site/verify` return the same verdicts. Separate blocks test the differences. */
for (const path of ['/api/v1/license/check', '/api/v1/site/verify']) {
  describe(`POST ${path}`, () => {
    const panel = useTestPanel();
    const isCheck = path.endsWith('check');

    async function activated() {
      const license = await panel.license();
      const request = { license_key: license.license_key, site_url: newSiteUrl(), ...VERSIONS };
      const { body } = await panel.post('/api/v1/license/activate', request);
      return {
        id: license.id,
        siteId: body.activation.site_id as number,
        token: body.activation_token as string,
        request: { ...request, ...REPORTED },
      };
    }

    const rowOf = (siteId: number) =>
      panel.db
        .selectFrom('license_activations as a')
        .innerJoin('sites as s', 's.id', 'a.site_id')
        .selectAll()
        .where('s.id', '=', siteId)
        .executeTakeFirstOrThrow();

    async function refuse(id: number, status: string) {
      if (status === 'suspended') await panel.suspend(id);
      if (status === 'revoked') await panel.revoke(id);
      if (status === 'expired') {
        await panel.db
          .updateTable('licenses')
          .set({ expires_at: panel.fakes.now })
          .where('id', '=', id)
          .execute();
      }
    }

    describe('200', () => {
      it('returns license, activation, services and the next check-in', async () => {
        const { request, siteId } = await activated();
        const { status, body } = await panel.post(path, request);
        expect(status).toBe(200);
        expect(body).toMatchObject({
          success: true,
          license: { status: 'active', valid: true, sites_used: 1 },
          activation: {
            site_id: siteId,
            site_url: request.site_url,
            status: 'active',
            counted: true,
          },
          enabled_services: ['remote'],
        });
        expect(body.next_check_in).toBeGreaterThan(10 * 3600);
        expect(body.next_check_in).toBeLessThan(14 * 3600);
      });

      it('records the versions', async () => {
        const { request, siteId } = await activated();
        await panel.post(path, request);
        expect(await rowOf(siteId)).toMatchObject(REPORTED);
      });

      it('accepts the right token', async () => {
        const { request, token } = await activated();
        const { status } = await panel.post(path, { ...request, activation_token: token });
        expect(status).toBe(200);
      });

      it('returns each of many concurrent clients its own activation', async () => {
        const sites = await Promise.all(Array.from({ length: 20 }, activated));
        const responses = await Promise.all(sites.map(({ request }) => panel.post(path, request)));
        expect(responses.map(({ body }) => body.activation?.site_id)).toEqual(
          sites.map(({ siteId }) => siteId),
        );
      });
    });

    describe('400', () => {
      it('names a missing key and a missing address', async () => {
        const { request } = await activated();
        const noKey = await panel.post(path, { ...request, license_key: undefined });
        expect([noKey.status, noKey.body.code]).toEqual([400, 'missing_license_key']);
        const noSite = await panel.post(path, { ...request, site_url: undefined });
        expect([noSite.status, noSite.body.code]).toEqual([400, 'missing_site_url']);
      });

      it('refuses a token that is not a string', async () => {
        const { request } = await activated();
        const { status } = await panel.post(path, { ...request, activation_token: 7 });
        expect(status).toBe(400);
      });
    });

    describe('401', () => {
      it('refuses an unknown key', async () => {
        const { request } = await activated();
        const license_key = generateLicenseKey(randomBytes);
        const { status, body } = await panel.post(path, { ...request, license_key });
        expect([status, body.code]).toEqual([401, 'invalid_license_key']);
      });

      it('refuses a wrong token and writes nothing', async () => {
        const { request, siteId } = await activated();
        const response = await panel.post(path, { ...request, activation_token: 'stwt_wrong' });
        expect([response.status, response.body.code]).toEqual([401, 'invalid_activation_token']);
        expect(await rowOf(siteId)).toMatchObject({ ...VERSIONS, last_check_at: null });
      });
    });

    describe('403', () => {
      for (const status of ['expired', 'suspended', 'revoked']) {
        it(`refuses a license that is ${status}, and returns its status`, async () => {
          const { id, request } = await activated();
          await refuse(id, status);
          const response = await panel.post(path, request);
          expect(response.status).toBe(403);
          expect(response.body).toMatchObject({
            success: false,
            code: `license_${status}`,
            license: { status, valid: false },
          });
        });
      }
    });

    describe('404', () => {
      it('refuses a site on which the license was never active', async () => {
        const { request } = await activated();
        const { status, body } = await panel.post(path, { ...request, site_url: newSiteUrl() });
        expect([status, body.code]).toEqual([404, 'site_not_activated']);
      });

      it('refuses a deactivated site', async () => {
        const { request } = await activated();
        await panel.post('/api/v1/license/deactivate', request);
        const { status, body } = await panel.post(path, request);
        expect([status, body.code]).toEqual([404, 'site_not_activated']);
      });
    });

    if (isCheck) {
      describe('the record of a check-in', () => {
        it('is committed before the response', async () => {
          const { request, siteId } = await activated();
          panel.fakes.now = new Date(panel.fakes.now.getTime() + 1000);
          const { body } = await panel.post(path, request);
          expect(body.activation.last_check_at).toBe(panel.fakes.now.toISOString());
          expect((await rowOf(siteId)).last_check_at).toEqual(panel.fakes.now);
        });

        for (const status of ['expired', 'suspended', 'revoked']) {
          it(`has time and versions although the license is ${status}`, async () => {
            const { id, request, siteId } = await activated();
            await refuse(id, status);
            expect((await panel.post(path, request)).status).toBe(403);
            expect(await rowOf(siteId)).toMatchObject({
              ...REPORTED,
              last_check_at: panel.fakes.now,
            });
          });
        }

        it('is written for each of several concurrent check-ins of one site', async () => {
          const { request, siteId } = await activated();
          const versions = ['7.1', '7.2', '7.3'];
          const responses = await Promise.all(
            versions.map((cms_version) => panel.post(path, { ...request, cms_version })),
          );
          expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
          expect((await rowOf(siteId)).cms_version).toBe('7.3');
        });

        it('requires all three versions', async () => {
          const { request } = await activated();
          const { status, body } = await panel.post(path, { ...request, php_version: undefined });
          expect([status, body.error]).toEqual([400, 'php_version is required.']);
        });
      });
    } else {
      describe('the inventory', () => {
        const inventory: Inventory = {
          plugins: [
            {
              plugin: 'shop/shop.php',
              name: 'Shop',
              version: '1.0',
              active: true,
              new_version: '1.1',
            },
            { plugin: 'hello.php', name: 'Hello', version: '1.7', active: false },
          ],
          themes: [{ slug: 'plain', name: 'Plain', version: '2.0', active: true }],
          core: { version: '6.6', new_version: '6.7' },
        };

        it('is stored unchanged, with its time', async () => {
          const { request, siteId } = await activated();
          expect((await panel.post(path, { ...request, inventory })).status).toBe(200);
          expect(await rowOf(siteId)).toMatchObject({ inventory, inventory_at: panel.fakes.now });
        });

        it('is not written again by a report that repeats it', async () => {
          const { request, siteId } = await activated();
          const report = { ...request, inventory, time_zone: 'Europe/Berlin' };
          const endpoint_url = `${request.site_url}/wp-json/service/v1/`;
          const changedOn = async () => {
            const { rows } = await sql<{ site: string; activation: string; software: string }>`
              SELECT s.xmin AS site, a.xmin AS activation,
                (SELECT max(xmin::text::bigint) FROM site_software WHERE site_id = s.id) AS software
              FROM sites s JOIN license_activations a ON a.site_id = s.id
              WHERE s.id = ${siteId}`.execute(panel.db);
            return rows[0];
          };
          await panel.post(path, { ...report, endpoint_url });
          const before = await changedOn();
          await panel.post(path, { ...request, time_zone: 'Europe/Berlin', endpoint_url });
          expect(await changedOn()).toEqual(before);
          panel.fakes.now = new Date(panel.fakes.now.getTime() + 1000);
          const preflight = {
            remote_enabled: true,
            file_changes: 'ok',
            free_bytes: 7,
            locked: false,
          };
          await panel.post(path, { ...report, preflight, endpoint_url });
          const { activation, software } = (await changedOn()) ?? {};
          expect({ activation, software }).toEqual({
            activation: before?.activation,
            software: before?.software,
          });
          expect(await rowOf(siteId)).toMatchObject({
            inventory,
            inventory_at: panel.fakes.now,
            preflight: { free_bytes: 7 },
            preflight_at: panel.fakes.now,
          });
        });

        it('is replaced by a report with other versions', async () => {
          const { request, siteId } = await activated();
          await panel.post(path, { ...request, inventory });
          const core = { version: '6.7' };
          await panel.post(path, { ...request, inventory: { ...inventory, core } });
          expect((await rowOf(siteId)).inventory).toEqual({ ...inventory, core });
        });

        it('is stored again after the stored one was deleted', async () => {
          const { request, siteId } = await activated();
          await panel.post(path, { ...request, inventory });
          await sql`UPDATE sites SET inventory = NULL, inventory_hash = NULL
            WHERE id = ${siteId}`.execute(panel.db);
          expect((await rowOf(siteId)).inventory).toBeNull();
          await panel.post(path, { ...request, inventory });
          expect((await rowOf(siteId)).inventory).toEqual(inventory);
        });

        it('is not stored if the site got a site key while the report with the license key waited', async () => {
          const { request, siteId } = await activated();
          const other = await panel.pool.connect();
          await other.query('BEGIN');
          await other.query('SELECT FROM sites WHERE id = $1 FOR UPDATE', [siteId]);
          const report = panel.post(path, { ...request, inventory, accepts_unsigned_calls: true });
          await waitForLocks(panel, 1);
          await other.query(
            `UPDATE license_activations SET site_key_hash = '\\x01', site_key_encrypted = '\\x02',
               license_key_encrypted = NULL, accepts_unsigned_calls = false WHERE site_id = $1`,
            [siteId],
          );
          await other.query('COMMIT');
          other.release();
          const { status, body } = await report;
          expect([status, body.code]).toEqual([401, 'invalid_license_key']);
          expect(await rowOf(siteId)).toMatchObject({
            inventory: null,
            accepts_unsigned_calls: false,
          });
        });

        it('is stored without unknown fields', async () => {
          const { request, siteId } = await activated();
          const core = { ...inventory.core, x: [[[{ y: 'z'.repeat(9999) }]]] };
          const response = await panel.post(path, {
            ...request,
            inventory: { ...inventory, core },
          });
          expect(response.status).toBe(200);
          expect((await rowOf(siteId)).inventory).toEqual(inventory);
        });

        it('is stored with long names truncated', async () => {
          const { request, siteId } = await activated();
          const [first, second] = inventory.plugins;
          const named = (name: string) => ({
            ...inventory,
            plugins: [{ ...first, name }, second],
          });
          const sent = named('x'.repeat(9999));
          expect((await panel.post(path, { ...request, inventory: sent })).status).toBe(200);
          const stored = named(`${'x'.repeat(1999)}…`);
          expect((await rowOf(siteId)).inventory).toEqual(stored);
        });

        it('cannot change the endpoint to another origin than the activated one', async () => {
          const { request, siteId } = await activated();
          const site_url = request.site_url.replace('https://', 'http://www.');
          const endpoint_url = `${site_url}/wp-json/service/v1/`;
          expect((await panel.post(path, { ...request, site_url, endpoint_url })).status).toBe(200);
          expect(await rowOf(siteId)).toMatchObject({ url: request.site_url, endpoint_url: null });
          const own = `${request.site_url}/wp-json/service/v1/`;
          await panel.post(path, { ...request, endpoint_url: own });
          expect(await rowOf(siteId)).toMatchObject({ endpoint_url: own });
        });

        it('is kept when a later call has none', async () => {
          const { request, siteId } = await activated();
          await panel.post(path, { ...request, inventory });
          const { license_key, site_url } = request;
          expect((await panel.post(path, { license_key, site_url })).status).toBe(200);
          expect(await rowOf(siteId)).toMatchObject({ inventory, ...REPORTED });
        });

        it('is not stored for a license that is no longer valid', async () => {
          const { id, request, siteId } = await activated();
          await refuse(id, 'suspended');
          await panel.post(path, { ...request, inventory });
          expect(await rowOf(siteId)).toMatchObject({ inventory: null });
        });

        it('may have at most 2,000 items', async () => {
          const { request } = await activated();
          const [plugin] = inventory.plugins;
          const report = (plugins: number) =>
            panel.post(path, {
              ...request,
              inventory: { ...inventory, plugins: Array(plugins).fill(plugin) },
            });
          expect((await report(1999)).status).toBe(200);
          const { status, body } = await report(2000);
          expect([status, body.code]).toEqual([400, 'request_too_large']);
        });

        it('is refused with the name of an invalid field', async () => {
          const { request } = await activated();
          const wrong = {
            ...inventory,
            plugins: [{ plugin: 'x/x.php', name: 'X', version: 1, active: true }],
          };
          const { status, body } = await panel.post(path, { ...request, inventory: wrong });
          expect([status, body.error]).toEqual([
            400,
            'inventory.plugins.0.version must be of type string.',
          ]);
        });
      });
    }
  });
}
