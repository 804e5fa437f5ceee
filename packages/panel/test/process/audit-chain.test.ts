import { startPanel } from '@steward/testkit/panel/start-process.ts';
import { describe, expect, it } from 'vitest';
import { createAuditedPanel } from '../audit/support/audited-panel.ts';

describe('the chain, over several processes', () => {
  it('holds what two panels and a command record at the same time', async () => {
    const { env, siteRequests, steward, verify, sealed } = await createAuditedPanel();
    const nextSite = await siteRequests();
    const panels = await Promise.all([startPanel(env), startPanel(env)]);
    const activate = async (index: number) => {
      const panel = panels[index % 2];
      const answer = await panel?.post('/api/v1/license/activate', nextSite());
      expect(answer?.status).toBe(200);
    };
    await Promise.all([
      ...Array.from({ length: 100 }, (_, index) => activate(index)),
      steward('plan', 'create', '--name', 'Other', '--site-limit', '1'),
    ]);
    // By the panels, while they run; each has also recorded the set-up link that it made.
    await expect.poll(async () => (await sealed()).length, { timeout: 20_000 }).toBe(105);
    for (const panel of panels) expect(await panel.end('SIGTERM')).toBe(0);
    expect(await verify()).toMatchObject({ code: 0, records: 105 });
  });

  it('holds what a panel recorded right before it was killed', async () => {
    const { env, siteRequests, verify } = await createAuditedPanel();
    const nextSite = await siteRequests();
    const panel = await startPanel(env);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => panel.post('/api/v1/license/activate', nextSite())),
    );
    await panel.end('SIGKILL');
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await verify()).toMatchObject({ code: 0, records: 13 });
  });

  it('is complete when a panel was stopped in order', async () => {
    const { env, siteRequests, sealed } = await createAuditedPanel();
    const nextSite = await siteRequests();
    const panel = await startPanel(env);
    await panel.post('/api/v1/license/activate', nextSite());
    expect(await panel.end('SIGTERM')).toBe(0);
    expect(await sealed()).toHaveLength(4);
  });
});
