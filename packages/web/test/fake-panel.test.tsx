import { describe, expect, it } from 'vitest';
import { createFakePanel, errorResponse } from './fake-panel.ts';
import { plan, plans, sites } from './panel-fixtures.ts';

describe('fake panel of component tests', () => {
  it('returns the responses of the test and records the requests', async () => {
    const panel = createFakePanel({ 'GET /panel/plans': plans(plan('Agency')) });
    const response = await panel.respond('/panel/plans');
    expect([response.status, await response.json()]).toEqual([200, plans(plan('Agency'))]);
    expect(panel.requests()).toEqual([
      { method: 'GET', path: '/panel/plans', query: {}, body: undefined },
    ]);
    expect(panel.failures).toEqual([]);
  });

  it('refuses with the status and the message of the contract', async () => {
    const panel = createFakePanel({ 'GET /panel/sites/:id': errorResponse('site_not_found') });
    const response = await panel.respond('/panel/sites/7');
    expect([response.status, await response.json()]).toEqual([
      404,
      { success: false, code: 'site_not_found', error: 'There is no such site.' },
    ]);
  });

  it('prefers a fixed path segment to a parameter', async () => {
    const panel = createFakePanel({ 'GET /panel/sites/:id': errorResponse('site_not_found') });
    await expect(panel.respond('/panel/sites/ids')).rejects.toThrow('GET /panel/sites/ids');
  });

  const expectFailure = async (
    call: Promise<Response>,
    panel: { failures: string[] },
    message: string,
  ) => {
    await expect(call).rejects.toThrow(message);
    // A screen may catch the error of its request. The test must fail anyway.
    expect(panel.failures).toEqual([expect.stringContaining(message)]);
  };

  it.each([
    ['GET', '/panel/plans?page=2', 'has no response for GET /panel/plans?page=2'],
    ['POST', '/panel/nothing', 'has no response for POST /panel/nothing'],
  ])('fails the test for %s %s without a response', async (method, path, message) => {
    const panel = createFakePanel({});
    await expectFailure(panel.respond(path, { method }), panel, message);
  });

  it('fails the test if a response lacks a property of the contract', async () => {
    const { site_limit: _, ...incomplete } = plan('Agency');
    const response = { success: true, plans: [incomplete] } as unknown as ReturnType<typeof plans>;
    const panel = createFakePanel({ 'GET /panel/plans': response });
    await expectFailure(panel.respond('/panel/plans'), panel, 'the response to GET /panel/plans');
  });

  it('fails the test if a response has a property that is not in the contract', async () => {
    const response = plans({ ...plan('Agency'), price: 7 } as ReturnType<typeof plan>);
    const panel = createFakePanel({ 'GET /panel/plans': response });
    await expectFailure(panel.respond('/panel/plans'), panel, '/plans/0/price');
  });

  it('fails the test if an accepted request is invalid', async () => {
    const panel = createFakePanel({ 'GET /panel/sites': sites([]) });
    await expectFailure(
      panel.respond('/panel/sites?status=odd'),
      panel,
      'the query of GET /panel/sites',
    );
  });
});
