import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { describe, expect, it } from 'vitest';
import { createAuditedPanel } from '../audit/support/audited-panel.ts';

describe('the hash chain across processes', () => {
  it('contains the concurrent records of two panels and a command', async () => {
    const { env, siteRequests, steward, verify, sealed } = await createAuditedPanel();
    const nextSite = await siteRequests();
    const panels = await Promise.all([startPanel(env), startPanel(env)]);
    const activate = async (index: number) => {
      const panel = panels[index % 2];
      const response = await panel?.post('/api/v1/license/activate', nextSite());
      expect(response?.status).toBe(200);
    };
    await Promise.all([
      ...Array.from({ length: 100 }, (_, index) => activate(index)),
      steward('plan', 'create', '--name', 'Other', '--site-limit', '1'),
    ]);
    // The running panels seal the records. Each also recorded its setup link.
    await expect.poll(async () => (await sealed()).length).toBe(105);
    for (const panel of panels) expect(await panel.end('SIGTERM')).toBe(0);
    expect(await verify()).toMatchObject({ code: 0, records: 105 });
  });

  it('contains the records of a panel that was killed right after it wrote them', async () => {
    const { env, siteRequests, verify } = await createAuditedPanel();
    const nextSite = await siteRequests();
    const panel = await startPanel(env);
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => panel.post('/api/v1/license/activate', nextSite())),
    );
    await panel.end('SIGKILL');
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await verify()).toMatchObject({ code: 0, records: 13 });
  });

  it('is complete after a graceful stop', async () => {
    const { env, siteRequests, sealed } = await createAuditedPanel();
    const nextSite = await siteRequests();
    const panel = await startPanel(env);
    await panel.post('/api/v1/license/activate', nextSite());
    expect(await panel.end('SIGTERM')).toBe(0);
    expect(await sealed()).toHaveLength(4);
  });
});
