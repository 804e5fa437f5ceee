import { registeredSecrets, testLog } from '@steward/testkit/logs.ts';
import type { PanelProcess } from '@steward/testkit/panel/panel-process.ts';
import { usePanelDatabase } from '@steward/testkit/panel/process-fixture.ts';
import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { VERSIONS } from '@steward/testkit/panel/test-panel.ts';
import type { TestDatabase } from '@steward/testkit/postgres/test-database.ts';
import { describe, expect, it } from 'vitest';

const PARALLEL = 50;

describe('the site limit with two processes on one database', () => {
  async function startTwoPanels() {
    const database = await usePanelDatabase();
    const { env } = database;
    const panels = await Promise.all([startPanel(env), startPanel(env)]);
    const { id, license_key } = await database.newLicense({ siteLimit: 3 });
    const activate = (panel: PanelProcess, site_url: string) =>
      panel.post('/api/v1/license/activate', { license_key, site_url, ...VERSIONS });
    return { database, panels, id, license_key, activate };
  }

  const activeRows = ({ db }: Pick<TestDatabase, 'db'>) =>
    db.selectFrom('license_activations').selectAll().where('status', '=', 'active').execute();

  it('gives the last seat to exactly one of 50 concurrent sites', async () => {
    const { database, panels, activate, license_key } = await startTwoPanels();
    await activate(panels[0], 'https://in-1.example.com');
    await activate(panels[1], 'https://in-2.example.com');
    const responses = await Promise.all(
      Array.from({ length: PARALLEL }, (_, site) =>
        activate(panels[site % 2] as PanelProcess, `https://last-${site}.example.com`),
      ),
    );
    const won = responses.filter(({ status }) => status === 200);
    const refused = responses.filter(
      ({ status, body }) => status === 403 && body.code === 'site_limit_reached',
    );
    expect([won.length, refused.length]).toEqual([1, PARALLEL - 1]);
    expect(await activeRows(database)).toHaveLength(3);
    // The log of panel processes is also searched for secrets.
    for (const panel of panels) await panel.end('SIGTERM');
    expect(testLog()).toContain('/api/v1/license/activate');
    expect(registeredSecrets()).toContain(license_key);
  });

  it('gives one seat and one token to 50 concurrent calls of one site', async () => {
    const { database, panels, activate } = await startTwoPanels();
    const responses = await Promise.all(
      Array.from({ length: PARALLEL }, (_, call) =>
        activate(panels[call % 2] as PanelProcess, 'https://same.example.com'),
      ),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ body }) => body.activation_token)).size).toBe(1);
    expect(await activeRows(database)).toHaveLength(1);
  });

  it('handles overlapping check-ins in both processes without a deadlock', async () => {
    const { panels, activate, license_key } = await startTwoPanels();
    const sites = ['https://a.example.com', 'https://b.example.com', 'https://c.example.com'];
    for (const site of sites) await activate(panels[0], site);
    const calls = Array.from({ length: 300 }, (_, call) => {
      // The two processes get the sites in opposite order.
      const site_url = call % 2 === 0 ? sites[call % 3] : sites[2 - (call % 3)];
      const panel = panels[call % 2] as PanelProcess;
      return panel.post('/api/v1/license/check', { license_key, site_url, ...VERSIONS });
    });
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
