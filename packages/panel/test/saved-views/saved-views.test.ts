import { SAVED_VIEWS_MAX } from '@steward/contract';
import { newSignedInUser, usePanelWithOwner } from '@steward/testkit/panel/signed-in-user.ts';
import { describe, expect, it } from 'vitest';

const PATH = '/panel/account/views';
const FAILING = { page: 'sites', name: 'Failing shops', query: 'status=failing&tag=shop' };

describe(PATH, () => {
  const { panel, owner } = usePanelWithOwner();
  const newUser = () => newSignedInUser(panel, 'viewer');

  it('saves views for one user, and replaces the one of the same name', async () => {
    const user = await newUser();
    const { status, body } = await user.post(PATH, FAILING);
    expect([status, body.view]).toEqual([200, { id: expect.any(Number), ...FAILING }]);
    const renamed = { ...FAILING, name: ' failing SHOPS ', query: 'status=failing' };
    expect((await user.post(PATH, renamed)).body.view).toEqual({
      ...{ id: body.view.id, page: 'sites' },
      ...{ name: 'failing SHOPS', query: 'status=failing' },
    });
    await user.post(PATH, { ...FAILING, page: 'software' });
    expect((await user.get(PATH)).body.views).toMatchObject([
      { page: 'sites', name: 'failing SHOPS' },
      { page: 'software', name: 'Failing shops' },
    ]);
    expect((await owner.get(PATH)).body.views).toEqual([]);
    expect((await owner.call('DELETE', `${PATH}/${body.view.id}`)).status).toBe(404);
    expect((await user.call('DELETE', `${PATH}/${body.view.id}`)).status).toBe(200);
    expect((await user.call('DELETE', `${PATH}/${body.view.id}`)).status).toBe(404);
    expect((await user.get(PATH)).body.views).toHaveLength(1);
  });

  it('limits the number of views, also for simultaneous requests', async () => {
    const user = await newUser();
    const save = (number: number) => user.post(PATH, { ...FAILING, name: `View ${number}` });
    for (let number = 1; number < SAVED_VIEWS_MAX; number++) await save(number);
    const results = await Promise.all([save(101), save(102), save(103)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(results.find(({ status }) => status === 409)?.body.code).toBe('too_many_views');
    expect((await save(1)).status).toBe(200);
    expect((await user.get(PATH)).body.views).toHaveLength(SAVED_VIEWS_MAX);
  });

  it.each([
    ['an unknown page', { ...FAILING, page: 'users' }],
    ['a name of spaces', { ...FAILING, name: '  ' }],
    ['a long name', { ...FAILING, name: 'x'.repeat(61) }],
    ['a long query', { ...FAILING, query: 'x'.repeat(2001) }],
  ])('refuses %s', async (_name, body) => {
    expect((await owner.post(PATH, body)).status).toBe(400);
  });
});
