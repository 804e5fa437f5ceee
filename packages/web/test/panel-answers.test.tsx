import { describe, expect, it } from 'vitest';
import { createPanelAnswers, refusal } from './panel-answers.ts';
import { plan, plans, sites } from './panel-fixtures.ts';

describe('the panel of component tests', () => {
  it('gives the answers of the test and records the requests', async () => {
    const panel = createPanelAnswers({ 'GET /panel/plans': plans(plan('Agency')) });
    const response = await panel.answer('/panel/plans');
    expect([response.status, await response.json()]).toEqual([200, plans(plan('Agency'))]);
    expect(panel.requests()).toEqual([
      { method: 'GET', path: '/panel/plans', query: {}, body: undefined },
    ]);
    expect(panel.faults).toEqual([]);
  });

  it('refuses with the status and the sentence of the contract', async () => {
    const panel = createPanelAnswers({ 'GET /panel/sites/:id': refusal('site_not_found') });
    const response = await panel.answer('/panel/sites/7');
    expect([response.status, await response.json()]).toEqual([
      404,
      { success: false, code: 'site_not_found', error: 'There is no such site.' },
    ]);
  });

  it('takes a fixed word in a path before a parameter', async () => {
    const panel = createPanelAnswers({ 'GET /panel/sites/:id': refusal('site_not_found') });
    await expect(panel.answer('/panel/sites/ids')).rejects.toThrow('GET /panel/sites/ids');
  });

  const fails = async (call: Promise<Response>, panel: { faults: string[] }, sentence: string) => {
    await expect(call).rejects.toThrow(sentence);
    // A screen may catch what its request throws: the test fails all the same.
    expect(panel.faults).toEqual([expect.stringContaining(sentence)]);
  };

  it.each([
    ['GET', '/panel/plans?page=2', 'gives no answer to GET /panel/plans?page=2'],
    ['POST', '/panel/nothing', 'gives no answer to POST /panel/nothing'],
  ])('fails the test for %s %s without an answer', async (method, path, sentence) => {
    const panel = createPanelAnswers({});
    await fails(panel.answer(path, { method }), panel, sentence);
  });

  it('fails the test when an answer lacks what the contract has', async () => {
    const { site_limit: _, ...incomplete } = plan('Agency');
    const answer = { success: true, plans: [incomplete] } as unknown as ReturnType<typeof plans>;
    const panel = createPanelAnswers({ 'GET /panel/plans': answer });
    await fails(panel.answer('/panel/plans'), panel, 'the answer to GET /panel/plans');
  });

  it('fails the test when an answer has what the contract lacks', async () => {
    const answer = plans({ ...plan('Agency'), price: 7 } as ReturnType<typeof plan>);
    const panel = createPanelAnswers({ 'GET /panel/plans': answer });
    await fails(panel.answer('/panel/plans'), panel, '/plans/0/price');
  });

  it('fails the test when a request that is accepted is not valid', async () => {
    const panel = createPanelAnswers({ 'GET /panel/sites': sites([]) });
    await fails(panel.answer('/panel/sites?status=odd'), panel, 'the query of GET /panel/sites');
  });
});
